// The types of docs/openapi.json. Do not edit. After a change of the API:
// npm run test:clients -- test/interop/sdk-types.test.ts --update
export interface paths {
    "/api/v1/households": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the households that the user may see
         * @deprecated
         * @description Households in the order of their `id` (byte order). Follow `rel="next"` of the `Link` header until there is none: then entries that stay are neither skipped nor repeated while others come and go. Use `syncHouseholds` in new applications.
         */
        get: operations["listHouseholds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/households": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all households that the user may see, or what has changed of them
         * @description Households in the order of their `id`; with `updated_since` in the order of the changes. Read all pages first: send `next_cursor` as `cursor` until it is null. The last page has a `receipt`. Keep its `as_of`, and send it as `updated_since` next time to read only changes.
         */
        get: operations["syncHouseholds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/households/{household_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one household
         * @description One household that the user may see.
         */
        get: operations["getHousehold"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/households/{household_id}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active accounts of a household
         * @description The active accounts of one household that the user may see, in the order of their `id` (byte order). Follow `rel="next"` of the `Link` header until there is none: then entries that stay are neither skipped nor repeated while others come and go.
         */
        get: operations["listAccountsOfHousehold"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all active accounts that the user may see, or what has changed of them
         * @description The accounts of all households, in the order of `household_id` and `id`; with `updated_since` in the order of the changes. Read all pages first: send `next_cursor` as `cursor` until it is null. The last page has a `receipt`. Keep its `as_of`, and send it as `updated_since` next time to read only changes.
         */
        get: operations["syncAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a code or a refresh token for new tokens
         * @description After the redirect, send the code. When the access token has expired, send the refresh token. If the answer to a refresh is lost, send the same refresh token again within a minute: the answer has the same refresh token.
         */
        post: operations["requestToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description A refresh token ends its connection, with all its tokens. An access token ends all access tokens of its connection. A token that is unknown or already revoked is no error (RFC 7009).
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inspect a token
         * @description Says whether a token of this partner would be accepted now. A token of another partner is not active. Nothing changes (RFC 7662).
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the identifier of the user
         * @description The UserInfo endpoint of OpenID Connect. The answer has only `sub`, because `openid` is the only scope.
         */
        get: operations["getUserInfo"];
        put?: never;
        /**
         * Get the identifier of the user, with POST
         * @description The same as `getUserInfo`, for clients that send the access token in a form (OpenID Connect Core section 5.3.1).
         */
        post: operations["postUserInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 6750 section 2.2. */
        AccessTokenForm: {
            /** @description The access token, if it is not in the header. */
            access_token?: string;
        };
        /** @description An active account that the user may see. A field without a value is absent. */
        Account: {
            /** @description Identifier of the account. It never changes. */
            id: string;
            /** @description The `id` of its household. */
            household_id: string;
            /** @description Display name, free text. */
            name?: string;
            /** @description Kind of the account in the platform's own words, such as `checking`. */
            type?: string;
            /** @description Account number with at most six digits; the rest is masked. */
            number_masked?: string;
            /** @description Institution that keeps the account. */
            custodian?: string;
            /** @description Currency, three letters (ISO 4217). */
            currency?: string;
            /**
             * @description Only active accounts are shown.
             * @enum {string}
             */
            status: "active";
            /**
             * Format: date
             * @description Day on which the account was opened.
             */
            opened_on?: string;
        };
        /** @description A page of a sync of accounts. */
        AccountPage: {
            /** @description The accounts that are visible now. */
            data: components["schemas"]["Account"][];
            /** @description With `updated_since`: ids of accounts that are no longer visible. Delete your copies. Some may have become visible only after that instant. */
            removed?: string[];
            /** @description Why each id in `removed` is no longer visible. `access_ended`: the user can no longer see it. `account_closed`: it is no longer active. `account_deleted`: it no longer exists. */
            removed_reasons?: {
                [key: string]: "access_ended" | "account_closed" | "account_deleted";
            };
            /** @description Send it as `cursor` to read the next page. Null on the last page. */
            next_cursor: string | null;
            receipt?: components["schemas"]["SyncSummary"];
        };
        /** @description A household that the user may see. */
        Household: {
            /** @description Identifier of the household: 1 to 64 characters of `A-Z a-z 0-9 . _ : -`. It never changes. */
            id: string;
            /** @description Display name, free text. Absent if the household has none. */
            name?: string;
        };
        /** @description A page of a sync of households. */
        HouseholdPage: {
            /** @description The households that are visible now. */
            data: components["schemas"]["Household"][];
            /** @description With `updated_since`: ids of households that are no longer visible. Delete your copies. Some may have become visible only after that instant. */
            removed?: string[];
            /** @description Why each id in `removed` is no longer visible. `access_ended`: the user can no longer see it. `household_deleted`: it no longer exists. */
            removed_reasons?: {
                [key: string]: "access_ended" | "household_deleted";
            };
            /** @description Send it as `cursor` to read the next page. Null on the last page. */
            next_cursor: string | null;
            receipt?: components["schemas"]["SyncSummary"];
        };
        /** @description A token to inspect (RFC 7662 section 2.1). */
        IntrospectionRequest: {
            /** @description An access token or a refresh token of this partner. */
            token: string;
            /** @description Ignored: the text of a token says what it is. */
            token_type_hint?: string;
            /** @description The `client_id` of the partner, unless it is in the `Authorization` header. */
            client_id?: string;
            /** @description The `client_secret`, unless it is in the `Authorization` header. */
            client_secret?: string;
            /**
             * @description With `client_assertion`.
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            /** @description A signed JWT instead of a secret (`private_key_jwt`, RFC 7523). */
            client_assertion?: string;
        };
        /** @description The state of a token (RFC 7662 section 2.2). */
        IntrospectionResponse: {
            /** @description Whether the token would be accepted now. If it is false, there are no other fields. */
            active: boolean;
            /** @description What was granted: `openid`. */
            scope?: string;
            /** @description The partner to which the token was issued. */
            client_id?: string;
            /** @description The user, as in `UserInfo`. */
            sub?: string;
            /** @description `Bearer`, with an access token. */
            token_type?: string;
            /**
             * Format: int64
             * @description Expiry, in seconds since 1970.
             */
            exp?: number;
            /**
             * Format: int64
             * @description Issue, in seconds since 1970.
             */
            iat?: number;
            /** @description The issuer: `http://localhost:4000`. */
            iss?: string;
            /** @description How the user logged in, as in the `id_token` (RFC 9470 section 6). */
            acr?: string;
            /**
             * Format: int64
             * @description When the user logged in, in seconds since 1970.
             */
            auth_time?: number;
        };
        /** @description A parameter that the server does not accept. */
        InvalidParameter: {
            /** @description The name of the parameter. */
            parameter: string;
            /** @description What is wrong with it, for people. */
            detail: string;
        };
        /** @description An error of the token endpoints (RFC 6749 section 5.2). */
        OAuthError: {
            /**
             * @description What happened, for programs.
             * @enum {string}
             */
            error: "invalid_request" | "unsupported_grant_type" | "unauthorized_client" | "invalid_client" | "invalid_grant" | "server_error" | "temporarily_unavailable";
            /** @description What happened and what to do, for people. */
            error_description: string;
            /**
             * Format: uri
             * @description The address of the page about this error.
             */
            error_uri: string;
            /** @description The `X-API-Request-ID` of the response. */
            request_id: string;
        };
        /** @description An error of the API (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description The address of the page about this code.
             */
            type: string;
            /** @description The code in words, for people. */
            title: string;
            /** @description The status of the response. */
            status: number;
            /** @description What happened and what to do, for people. */
            detail: string;
            /**
             * @description What happened, for programs. A code does not change its meaning.
             * @enum {string}
             */
            code: "invalid_parameter" | "bad_request" | "unauthorized" | "invalid_token" | "insufficient_user_authentication" | "not_found" | "method_not_allowed" | "sync_expired" | "gone" | "too_many_requests" | "internal_error" | "unavailable";
            /** @description The `X-API-Request-ID` of the response. */
            request_id: string;
            /** @description Each invalid parameter, with `invalid_parameter`. */
            errors?: components["schemas"]["InvalidParameter"][];
        };
        /** @description A token to revoke (RFC 7009 section 2.1). */
        RevocationRequest: {
            /** @description An access token or a refresh token of this partner. */
            token: string;
            /** @description Ignored: the text of a token says what it is. */
            token_type_hint?: string;
            /** @description The `client_id` of the partner, unless it is in the `Authorization` header. */
            client_id?: string;
            /** @description The `client_secret`, unless it is in the `Authorization` header. */
            client_secret?: string;
            /**
             * @description With `client_assertion`.
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            /** @description A signed JWT instead of a secret (`private_key_jwt`, RFC 7523). */
            client_assertion?: string;
        };
        /** @description An empty object. */
        Revoked: Record<string, never>;
        /** @description What the whole sync has read. It is on the last page only. */
        SyncSummary: {
            /** @description Entries of `data`, over all pages. */
            count: number;
            /** @description Ids in `removed`, over all pages. Absent if there are none. */
            removed?: number;
            /** @description SHA-256 of the ids in `data` in the order sent, each followed by a line feed; hexadecimal. */
            sha256: string;
            /** @description An RFC 3339 instant. Keep it as text, and send it as `updated_since` next time. */
            as_of: string;
        };
        /** @description A code or a refresh token, with the credentials of the partner. */
        TokenRequest: {
            /**
             * @description What is exchanged for tokens.
             * @enum {string}
             */
            grant_type: "authorization_code" | "refresh_token";
            /** @description With `authorization_code`: the code from the redirect. It is valid for 60 seconds and once. */
            code?: string;
            /** @description If sent, it must equal the one of the authorization request. */
            redirect_uri?: string;
            /** @description Required if the authorization request had a `code_challenge` (PKCE, RFC 7636). */
            code_verifier?: string;
            /** @description With `refresh_token`: the newest refresh token of the connection. */
            refresh_token?: string;
            /**
             * @description With `refresh_token`: the answer also has an `id_token`.
             * @enum {string}
             */
            token_type?: "id";
            /** @description The `client_id` of the partner, unless it is in the `Authorization` header. */
            client_id?: string;
            /** @description The `client_secret`, unless it is in the `Authorization` header. */
            client_secret?: string;
            /**
             * @description With `client_assertion`.
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            /** @description A signed JWT instead of a secret (`private_key_jwt`, RFC 7523). */
            client_assertion?: string;
        };
        /** @description New tokens (RFC 6749 section 5.1). */
        TokenResponse: {
            /** @description Send it as `Authorization: Bearer`. */
            access_token: string;
            /**
             * @description How the access token is sent.
             * @enum {string}
             */
            token_type: "Bearer";
            /** @description Seconds for which the access token is valid: 3600. */
            expires_in: number;
            /** @description Replaces the previous refresh token. Valid for 30 days. Keep it before you use the access token. */
            refresh_token: string;
            /**
             * @description What was granted.
             * @enum {string}
             */
            scope: "openid";
            /** @description A signed JWT about the login (OpenID Connect Core section 2). */
            id_token?: string;
        };
        /** @description The user who connected your application (OpenID Connect Core section 5.3.2). */
        UserInfo: {
            /** @description Identifier of the user. It is the same in every `id_token`, and differs between partners. */
            sub: string;
        };
    };
    responses: {
        /** @description The server does not know all changes since `updated_since`. Read all accounts again, without `updated_since` and `cursor`. */
        AccountsSyncExpired: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is malformed, or a parameter is invalid. `errors` names each invalid parameter. */
        BadRequest: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body is larger than 64 kB. */
        ContentTooLarge: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This version of the operation has ended, on the date of its `Sunset` header. Use `syncHouseholds`. */
        Gone: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The address and the headers are larger than 16 kB. */
        HeadersTooLarge: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such household, or this user may not see it. The answer is the same in both cases. */
        HouseholdNotFound: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server does not know all changes since `updated_since`. Read all households again, without `updated_since` and `cursor`. */
        HouseholdsSyncExpired: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A fault of the server. Report `request_id` to the operator. */
        InternalError: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The page still has a tag of `If-None-Match`. Its links are unchanged too. */
        NotModified: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                Vary: components["headers"]["Vary"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The request did not arrive in time. Send it again. */
        RequestTimeout: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request was refused. `error` is for programs, `error_description` says what to change. */
        TokenBadRequest: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description The request body is larger than 64 kB. */
        TokenContentTooLarge: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description A fault of the server. Report `request_id` to the operator. */
        TokenInternalError: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description Too many requests. Wait for the time in `Retry-After`, then send the request again. */
        TokenTooManyRequests: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description The credentials of the partner are missing or invalid. */
        TokenUnauthorized: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description The server cannot answer at the moment. Send the request again after the time in `Retry-After`, with the same refresh token. */
        TokenUnavailable: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description The request body is neither a form nor JSON in UTF-8, or it is compressed. */
        TokenUnsupportedMediaType: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthError"];
            };
        };
        /** @description Too many requests. Wait for the time in `Retry-After`, then send the request again. */
        TooManyRequests: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The access token is missing, expired, revoked or otherwise invalid, or the user must connect again with a stronger login. `detail` says which, and what to do. */
        Unauthorized: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server cannot answer at the moment. The access token is still valid: send the request again after the time in `Retry-After`. */
        Unavailable: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body is neither a form nor JSON in UTF-8, or it is compressed. */
        UnsupportedMediaType: {
            headers: {
                "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user. */
        "If-None-Match": string;
        /**
         * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
         * @example nightly-sync-2026-11-21-0001
         */
        "X-API-Request-ID": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The query parameters of the request that the operation does not know and has ignored: a list of strings (RFC 9651), each with `use` if a parameter of the operation is probably meant. Absent if all are known.
         * @example "pageSize";use="page_size"
         */
        "API-Unknown-Parameters": string;
        /** @description `private, no-cache`: your application may keep the page and revalidates it each time. `no-store`: do not keep the answer. */
        "Cache-Control": "private, no-cache" | "no-store";
        /** @description When the operation became deprecated or will become so: `@` and seconds since 1970 (RFC 9745). Absent until the operator has set a date. */
        Deprecation: string;
        /** @description Identifies this page as this user sees it. Send it back in `If-None-Match`. Each content coding has its own. */
        ETag: string;
        /** @description Addresses of other pages by `rel`: `first`, `prev`, `next`, and `successor-version` for the operation that replaces this one (RFC 8288). Absent if there are none. */
        Link: string;
        /** @description What is left of each quota: about `r` requests, and in `t` seconds it is renewed. Absent if the operator has set no limits. */
        RateLimit: string;
        /** @description The quotas that apply: `q` requests in `w` seconds. Absent if the operator has set no limits. */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before the request is sent again. */
        "Retry-After": number;
        /** @description The date from which the operation may be gone (RFC 8594). Absent until the operator has set it. */
        Sunset: string;
        /** @description The request headers on which the page depends (RFC 9110 section 12.5.5). */
        Vary: string;
        /** @description How to authenticate. For an access token it has the `error` of RFC 6750 and the address of the metadata of RFC 9728. In every 401. */
        "WWW-Authenticate": string;
        /** @description The identifier of this request: yours, or one that the server generated. Quote it when you contact the operator. */
        "X-API-Request-ID": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listHouseholds: {
        parameters: {
            query?: {
                /**
                 * @description Page number, from 0.
                 * @example 0
                 */
                page?: number;
                /**
                 * @description Number of entries on a page.
                 * @example 2
                 */
                page_size?: number;
                /** @description Part of the links in the `Link` header. Follow the links as they are, or count pages without it. */
                cursor?: string;
                /**
                 * @description Text that the name must contain, ignoring case. `%`, `_` and `\` are ordinary characters. If it is empty, all visible households are returned.
                 * @example family trust
                 */
                name_pattern?: string;
            };
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
                /** @description The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of households. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    Link: components["headers"]["Link"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Household"][];
                };
            };
            /** @description The page still has a tag of `If-None-Match`. Its links are unchanged too. */
            304: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed, or a parameter is invalid. `errors` names each invalid parameter. */
            400: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, expired, revoked or otherwise invalid, or the user must connect again with a stronger login. `detail` says which, and what to do. */
            401: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time. Send it again. */
            408: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: components["responses"]["Gone"];
            /** @description Too many requests. Wait for the time in `Retry-After`, then send the request again. */
            429: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address and the headers are larger than 16 kB. */
            431: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A fault of the server. Report `request_id` to the operator. */
            500: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server cannot answer at the moment. The access token is still valid: send the request again after the time in `Retry-After`. */
            503: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    syncHouseholds: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of entries on a page.
                 * @example 2
                 */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Send it alone or with the same parameters: it contains them, except `limit`. */
                cursor?: string;
                /** @description The `as_of` of an earlier `receipt`, unchanged, or another RFC 3339 instant with up to six decimals. Returns only what has changed since then or is no longer visible. */
                updated_since?: string;
                /**
                 * @description Text that the name must contain, ignoring case. If it is empty, all visible households are returned. Cannot be combined with `updated_since`.
                 * @example family trust
                 */
                name_contains?: string;
            };
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
                /** @description The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the sync. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HouseholdPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["HouseholdsSyncExpired"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHousehold: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
                /** @description The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `id` of a household.
                 * @example hh-0003
                 */
                household_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The household. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Household"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["HouseholdNotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAccountsOfHousehold: {
        parameters: {
            query?: {
                /**
                 * @description Page number, from 0.
                 * @example 0
                 */
                page?: number;
                /**
                 * @description Number of entries on a page.
                 * @example 2
                 */
                page_size?: number;
                /** @description Part of the links in the `Link` header. Follow the links as they are, or count pages without it. */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
                /** @description The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `id` of a household.
                 * @example hh-0003
                 */
                household_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of accounts. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["HouseholdNotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    syncAccounts: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of entries on a page.
                 * @example 2
                 */
                limit?: number;
                /** @description The `next_cursor` of the previous page. Send it alone or with the same parameters: it contains them, except `limit`. */
                cursor?: string;
                /** @description The `as_of` of an earlier `receipt`, unchanged, or another RFC 3339 instant with up to six decimals. Returns only what has changed since then or is no longer visible. */
                updated_since?: string;
            };
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
                /** @description The `ETag` of a page that you have kept. The answer is 304 without a body if the page is unchanged for this user. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the sync. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Vary: components["headers"]["Vary"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["AccountsSyncExpired"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    requestToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The code or the refresh token. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description New tokens. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: components["responses"]["TokenBadRequest"];
            401: components["responses"]["TokenUnauthorized"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["TokenContentTooLarge"];
            415: components["responses"]["TokenUnsupportedMediaType"];
            429: components["responses"]["TokenTooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["TokenInternalError"];
            503: components["responses"]["TokenUnavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The token to revoke. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevocationRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["RevocationRequest"];
            };
        };
        responses: {
            /** @description The token is not valid, or no longer valid. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revoked"];
                };
            };
            400: components["responses"]["TokenBadRequest"];
            401: components["responses"]["TokenUnauthorized"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["TokenContentTooLarge"];
            415: components["responses"]["TokenUnsupportedMediaType"];
            429: components["responses"]["TokenTooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["TokenInternalError"];
            503: components["responses"]["TokenUnavailable"];
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The token to inspect. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntrospectionRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectionRequest"];
            };
        };
        responses: {
            /** @description The state of the token. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntrospectionResponse"];
                };
            };
            400: components["responses"]["TokenBadRequest"];
            401: components["responses"]["TokenUnauthorized"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["TokenContentTooLarge"];
            415: components["responses"]["TokenUnsupportedMediaType"];
            429: components["responses"]["TokenTooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["TokenInternalError"];
            503: components["responses"]["TokenUnavailable"];
        };
    };
    getUserInfo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    postUserInfo: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Your identifier of this request: 1 to 128 characters of `A-Z a-z 0-9 . _ ~ : + / = -`. The server replaces any other value. The response, its log line and its error body carry the same identifier.
                 * @example nightly-sync-2026-11-21-0001
                 */
                "X-API-Request-ID"?: components["parameters"]["X-API-Request-ID"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The access token, if it is not in the `Authorization` header. */
        requestBody?: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["AccessTokenForm"];
            };
        };
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
            /** @description The request is malformed, or a parameter is invalid. `errors` names each invalid parameter. */
            400: {
                headers: {
                    "X-API-Request-ID": components["headers"]["X-API-Request-ID"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "API-Unknown-Parameters": components["headers"]["API-Unknown-Parameters"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}

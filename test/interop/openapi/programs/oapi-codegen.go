package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	client "example.com/client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	asUser := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("ACCESS_TOKEN"))
		return nil
	})
	user, err := client.NewClientWithResponses(os.Getenv("BASE_URL"), asUser)
	check(err)
	limit := 2
	page, err := user.SyncHouseholdsWithResponse(ctx, &client.SyncHouseholdsParams{Limit: &limit})
	check(err)
	ids := []string{}
	for _, household := range page.JSON200.Data {
		ids = append(ids, household.Id)
	}
	missing, err := user.GetHouseholdWithResponse(ctx, "none", nil)
	check(err)
	partner, err := client.NewClientWithResponses(os.Getenv("BASE_URL"))
	check(err)
	refreshToken, clientID, clientSecret := os.Getenv("REFRESH_TOKEN"), os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")
	tokens, err := partner.RequestTokenWithFormdataBodyWithResponse(ctx, nil, client.TokenRequest{
		GrantType: "refresh_token", RefreshToken: &refreshToken, ClientId: &clientID, ClientSecret: &clientSecret,
	})
	check(err)
	out, _ := json.Marshal(map[string]any{
		"ids": ids, "code": missing.ApplicationproblemJSON404.Code, "token_type": tokens.JSON200.TokenType,
	})
	fmt.Println(string(out))
}

import json
import os

import openapi_client

base_url = os.environ["BASE_URL"]
user = openapi_client.ApiClient(
    openapi_client.Configuration(host=base_url, access_token=os.environ["ACCESS_TOKEN"])
)
households = openapi_client.HouseholdsApi(user)
page = households.sync_households(limit=2)
try:
    households.get_household("none")
    code = "found"
except openapi_client.ApiException as error:
    code = json.loads(error.body)["code"]
partner = openapi_client.ApiClient(openapi_client.Configuration(host=base_url))
tokens = openapi_client.TokensApi(partner).request_token(
    openapi_client.TokenRequest(
        grant_type="refresh_token",
        refresh_token=os.environ["REFRESH_TOKEN"],
        client_id=os.environ["CLIENT_ID"],
        client_secret=os.environ["CLIENT_SECRET"],
    )
)
print(json.dumps({"ids": [h.id for h in page.data], "code": code, "token_type": tokens.token_type}))

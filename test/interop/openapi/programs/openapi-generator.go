package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	client "example.com/client"
	"golang.org/x/oauth2"
)

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := client.NewAPIClient(configuration)
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: os.Getenv("ACCESS_TOKEN")})
	user := context.WithValue(context.Background(), client.ContextOAuth2, token)

	page, _, err := api.HouseholdsAPI.SyncHouseholds(user).Limit(2).Execute()
	if err != nil {
		panic(err)
	}
	ids := []string{}
	for _, household := range page.Data {
		ids = append(ids, household.Id)
	}
	_, _, err = api.HouseholdsAPI.GetHousehold(user, "none").Execute()
	problem := err.(*client.GenericOpenAPIError).Model().(client.Problem)
	tokens, _, err := api.TokensAPI.RequestToken(context.Background()).
		GrantType("refresh_token").RefreshToken(os.Getenv("REFRESH_TOKEN")).
		ClientId(os.Getenv("CLIENT_ID")).ClientSecret(os.Getenv("CLIENT_SECRET")).Execute()
	if err != nil {
		panic(err)
	}
	out, _ := json.Marshal(map[string]any{"ids": ids, "code": problem.Code, "token_type": tokens.TokenType})
	fmt.Println(string(out))
}

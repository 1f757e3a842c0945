package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	client "example.com/client"
)

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := client.NewAPIClient(configuration)
	user := context.WithValue(context.Background(), client.ContextAccessToken, os.Getenv("ACCESS_TOKEN"))

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
	request := client.NewTokenRequest("refresh_token")
	request.SetRefreshToken(os.Getenv("REFRESH_TOKEN"))
	request.SetClientId(os.Getenv("CLIENT_ID"))
	request.SetClientSecret(os.Getenv("CLIENT_SECRET"))
	tokens, _, err := api.TokensAPI.RequestToken(context.Background()).TokenRequest(*request).Execute()
	if err != nil {
		panic(err)
	}
	out, _ := json.Marshal(map[string]any{"ids": ids, "code": problem.Code, "token_type": tokens.TokenType})
	fmt.Println(string(out))
}

import java.util.Map;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.HouseholdsApi;
import org.openapitools.client.api.TokensApi;
import org.openapitools.client.model.HouseholdPage;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.TokenRequest;
import org.openapitools.client.model.TokenResponse;

public class Program {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> env = System.getenv();
    ApiClient user = client(env);
    user.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + env.get("ACCESS_TOKEN")));
    HouseholdsApi households = new HouseholdsApi(user);
    HouseholdPage page = households.syncHouseholds(2, null, null, null, null, null);
    String code = "found";
    try {
      households.getHousehold("none", null, null);
    } catch (ApiException error) {
      code = user.getObjectMapper().readValue(error.getResponseBody(), Problem.class).getCode().getValue();
    }
    TokenRequest request =
        new TokenRequest()
            .grantType(TokenRequest.GrantTypeEnum.REFRESH_TOKEN)
            .refreshToken(env.get("REFRESH_TOKEN"))
            .clientId(env.get("CLIENT_ID"))
            .clientSecret(env.get("CLIENT_SECRET"));
    TokenResponse tokens = new TokensApi(client(env)).requestToken(request, null);
    String ids = page.getData().stream().map(h -> "\"" + h.getId() + "\"").collect(Collectors.joining(","));
    System.out.println(
        "{\"ids\":[" + ids + "],\"code\":\"" + code + "\",\"token_type\":\"" + tokens.getTokenType().getValue() + "\"}");
  }

  static ApiClient client(Map<String, String> env) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(env.get("BASE_URL"));
    return client;
  }
}

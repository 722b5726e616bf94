import com.hivemq.embedded.EmbeddedExtension;
import com.hivemq.embedded.EmbeddedHiveMQ;
import com.hivemq.extension.sdk.api.ExtensionMain;
import com.hivemq.extension.sdk.api.auth.SimpleAuthenticator;
import com.hivemq.extension.sdk.api.auth.PublishAuthorizer;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStartOutput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopInput;
import com.hivemq.extension.sdk.api.parameter.ExtensionStopOutput;
import com.hivemq.extension.sdk.api.services.Services;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A broker of HiveMQ that accepts every client but the user "intruder", and every topic but one.
 *
 * Settings: port=N, maximumBytes=N (largest packet), denied=TOPIC, directory=PATH.
 */
public final class Counterpart {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> settings = new HashMap<>();
    for (String argument : arguments) {
      String[] parts = argument.split("=", 2);
      settings.put(parts[0], parts[1]);
    }
    PrintStream output = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    System.setProperty("hivemq.log.level", "ERROR");
    Path directory = Path.of(settings.get("directory"));
    for (String name : new String[] {"conf", "data", "extensions"}) {
      Files.createDirectories(directory.resolve(name));
    }
    Files.writeString(directory.resolve("conf/config.xml"), configure(settings));
    EmbeddedExtension access =
        EmbeddedExtension.builder()
            .withId("access")
            .withName("access")
            .withVersion("1")
            .withAuthor("test")
            .withPriority(1)
            .withStartPriority(1)
            .withExtensionMain(new Access(settings.getOrDefault("denied", "")))
            .build();
    EmbeddedHiveMQ broker =
        EmbeddedHiveMQ.builder()
            .withConfigurationFolder(directory.resolve("conf"))
            .withDataFolder(directory.resolve("data"))
            .withExtensionsFolder(directory.resolve("extensions"))
            .withEmbeddedExtension(access)
            .build();
    broker.start().join();
    output.println("ready");
    while (System.in.read() >= 0) {}
    broker.stop().join();
    System.exit(0);
  }

  private static String configure(Map<String, String> settings) {
    String listener =
        "<tcp-listener><port>" + settings.get("port") + "</port><bind-address>127.0.0.1</bind-address></tcp-listener>";
    String maximum = settings.get("maximumBytes");
    String mqtt =
        maximum == null
            ? ""
            : "<mqtt><packets><max-packet-size>" + maximum + "</max-packet-size></packets></mqtt>";
    return "<hivemq><listeners>"
        + listener
        + "</listeners>"
        + mqtt
        + "<anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics></hivemq>";
  }

  /** Rights of the clients. */
  private record Access(String denied) implements ExtensionMain {
    @Override
    public void extensionStart(ExtensionStartInput input, ExtensionStartOutput output) {
      SimpleAuthenticator authenticator =
          (connect, answer) -> {
            if (connect.getConnectPacket().getUserName().orElse("").equals("intruder")) answer.failAuthentication();
            else answer.authenticateSuccessfully();
          };
      PublishAuthorizer authorizer =
          (publish, answer) -> {
            if (publish.getPublishPacket().getTopic().equals(denied)) answer.failAuthorization();
            else answer.authorizeSuccessfully();
          };
      Services.securityRegistry().setAuthenticatorProvider(given -> authenticator);
      Services.securityRegistry().setAuthorizerProvider(given -> authorizer);
    }

    @Override
    public void extensionStop(ExtensionStopInput input, ExtensionStopOutput output) {}
  }
}

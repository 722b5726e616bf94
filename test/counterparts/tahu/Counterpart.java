import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.tahu.host.HostApplication;
import org.eclipse.tahu.host.api.HostApplicationEventHandler;
import org.eclipse.tahu.message.SparkplugBPayloadDecoder;
import org.eclipse.tahu.message.model.Message;
import org.eclipse.tahu.message.model.MessageType;
import org.eclipse.tahu.message.model.Metric;
import org.eclipse.tahu.message.model.MetricDataType;
import org.eclipse.tahu.message.model.SparkplugBPayload;
import org.eclipse.tahu.message.model.SparkplugDescriptor;
import org.eclipse.tahu.message.model.Topic;
import org.eclipse.tahu.model.MqttServerDefinition;
import org.eclipse.tahu.mqtt.MqttClientId;
import org.eclipse.tahu.mqtt.MqttServerName;
import org.eclipse.tahu.mqtt.MqttServerUrl;

/**
 * A host application of Eclipse Tahu. It takes its settings as key=value, writes a line of JSON for each event, publishes the command
 * of each line of JSON that it reads, and ends with its input.
 */
public final class Counterpart {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] parameters) throws Exception {
    Map<String, String> settings = new HashMap<>();
    for (String parameter : parameters) {
      String[] parts = parameter.split("=", 2);
      settings.put(parts[0], parts[1]);
    }
    MqttServerDefinition broker = new MqttServerDefinition(
        new MqttServerName("broker"),
        new MqttClientId("tahu-" + settings.get("host"), false),
        new MqttServerUrl("tcp://127.0.0.1:" + settings.get("port")),
        null, null, 30, null);
    HostApplicationEventHandler handler = (HostApplicationEventHandler) Proxy.newProxyInstance(
        Counterpart.class.getClassLoader(),
        new Class<?>[] {HostApplicationEventHandler.class},
        (proxy, method, values) -> {
          write(method.getName(), values == null ? new Object[0] : values);
          return null;
        });
    HostApplication host = new HostApplication(
        handler, settings.get("host"), List.of("spBv1.0/#"), List.of(broker), null, new SparkplugBPayloadDecoder(), true);
    host.start(true);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      JsonNode command = JSON.readTree(line);
      host.publishCommand(topicOf(command.get("topic").asText().split("/")), read(command.get("metrics")));
    }
    host.shutdown();
    System.exit(0);
  }

  private static Topic topicOf(String[] parts) {
    MessageType type = MessageType.valueOf(parts[2]);
    return parts.length == 4 ? new Topic(parts[0], parts[1], parts[3], type) : new Topic(parts[0], parts[1], parts[3], parts[4], type);
  }

  private static SparkplugBPayload read(JsonNode metrics) throws Exception {
    List<Metric> list = new ArrayList<>();
    for (JsonNode metric : metrics) {
      MetricDataType type = (MetricDataType) MetricDataType.class.getField(metric.get("type").asText()).get(null);
      JsonNode value = metric.get("value");
      Object object = switch (metric.get("type").asText()) {
        case "Boolean" -> value.asBoolean();
        case "Int32" -> value.asInt();
        case "Double" -> value.asDouble();
        default -> value.asText();
      };
      list.add(new Metric.MetricBuilder(metric.get("name").asText(), type, object).timestamp(new Date()).createMetric());
    }
    return new SparkplugBPayload(new Date(), list, null, null, null);
  }

  private static synchronized void write(String event, Object[] values) throws Exception {
    if (event.equals("onMessage")) return;
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("event", event);
    for (Object value : values) {
      if (value instanceof SparkplugDescriptor descriptor) line.put("from", descriptor.getDescriptorString());
      if (value instanceof Metric metric) line.put("metric", describe(metric));
      if (value instanceof Message message) {
        line.put("seq", message.getPayload().getSeq());
        List<Map<String, Object>> metrics = new ArrayList<>();
        for (Metric metric : message.getPayload().getMetrics()) metrics.add(describe(metric));
        line.put("metrics", metrics);
      }
    }
    System.out.println(event.equals("onConnect") ? "ready" : JSON.writeValueAsString(line));
  }

  private static Map<String, Object> describe(Metric metric) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("name", metric.getName());
    described.put("type", String.valueOf(metric.getDataType()));
    described.put("value", metric.getValue() == null ? null : String.valueOf(metric.getValue()));
    described.put("isHistorical", Boolean.TRUE.equals(metric.isHistorical()));
    described.put("timestamp", metric.getTimestamp() == null ? null : metric.getTimestamp().getTime());
    if (metric.getProperties() != null && metric.getProperties().containsKey("Quality"))
      described.put("quality", String.valueOf(metric.getProperties().get("Quality").getValue()));
    return described;
  }
}

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Security;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.eclipse.milo.opcua.sdk.core.AccessLevel;
import org.eclipse.milo.opcua.sdk.core.Reference;
import org.eclipse.milo.opcua.sdk.server.EndpointConfig;
import org.eclipse.milo.opcua.sdk.server.ManagedNamespaceWithLifecycle;
import org.eclipse.milo.opcua.sdk.server.OpcUaServer;
import org.eclipse.milo.opcua.sdk.server.OpcUaServerConfig;
import org.eclipse.milo.opcua.sdk.server.OpcUaServerConfigLimits;
import org.eclipse.milo.opcua.sdk.server.identity.AnonymousIdentityValidator;
import org.eclipse.milo.opcua.sdk.server.identity.UsernameIdentityValidator;
import org.eclipse.milo.opcua.sdk.server.items.DataItem;
import org.eclipse.milo.opcua.sdk.server.items.MonitoredItem;
import org.eclipse.milo.opcua.sdk.server.nodes.UaVariableNode;
import org.eclipse.milo.opcua.sdk.server.util.SubscriptionModel;
import org.eclipse.milo.opcua.stack.core.NodeIds;
import org.eclipse.milo.opcua.stack.core.OpcUaDataType;
import org.eclipse.milo.opcua.stack.core.security.DefaultApplicationGroup;
import org.eclipse.milo.opcua.stack.core.security.DefaultCertificateManager;
import org.eclipse.milo.opcua.stack.core.security.DefaultServerCertificateValidator;
import org.eclipse.milo.opcua.stack.core.security.MemoryCertificateQuarantine;
import org.eclipse.milo.opcua.stack.core.security.CertificateStore;
import org.eclipse.milo.opcua.stack.core.security.MemoryCertificateStore;
import org.eclipse.milo.opcua.stack.core.security.MemoryTrustListManager;
import org.eclipse.milo.opcua.stack.core.security.RsaSha256CertificateFactory;
import org.eclipse.milo.opcua.stack.core.security.SecurityPolicy;
import org.eclipse.milo.opcua.stack.core.transport.TransportProfile;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExpandedNodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.builtin.XmlElement;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UByte;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UInteger;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.ULong;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UShort;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MessageSecurityMode;
import org.eclipse.milo.opcua.stack.core.types.enumerated.UserTokenType;
import org.eclipse.milo.opcua.stack.core.types.structured.Range;
import org.eclipse.milo.opcua.stack.core.types.structured.UserTokenPolicy;
import org.eclipse.milo.opcua.stack.transport.server.tcp.OpcTcpServerTransport;
import org.eclipse.milo.opcua.stack.transport.server.tcp.OpcTcpServerTransportConfig;

/** An OPC UA server on Eclipse Milo. It takes its settings as key=value, says when it is ready, and ends with its input. */
public final class Counterpart extends ManagedNamespaceWithLifecycle {
  private final SubscriptionModel subscriptions;
  private final int bulk;

  private Counterpart(OpcUaServer server, int bulk) {
    super(server, "urn:penstock:test");
    this.bulk = bulk;
    subscriptions = new SubscriptionModel(server, this);
    getLifecycleManager().addLifecycle(subscriptions);
    getLifecycleManager().addStartupTask(this::addNodes);
  }

  private void addNodes() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("boolean", true);
    values.put("sByte", (byte) -128);
    values.put("byte", UByte.valueOf(255));
    values.put("int16", Short.MIN_VALUE);
    values.put("uint16", UShort.valueOf(65535));
    values.put("int32", Integer.MIN_VALUE);
    values.put("uint32", UInteger.valueOf(4294967295L));
    values.put("int64", Long.MIN_VALUE);
    values.put("uint64", ULong.valueOf("18446744073709551615"));
    values.put("float", 12.5f);
    values.put("double", 0.1);
    values.put("string", "Kessel ß");
    values.put("dateTime", new DateTime(java.time.Instant.parse("2024-02-29T12:00:00.123Z")));
    values.put("guid", UUID.fromString("72962b91-fa75-4ae6-8d28-b404dc7daf63"));
    values.put("byteString", ByteString.of(new byte[] {1, 2, 3}));
    values.put("xmlElement", new XmlElement("<a>1</a>"));
    values.put("nodeId", new NodeId(0, 85));
    values.put("expandedNodeId", ExpandedNodeId.parse("svr=4;nsu=urn:far;i=7"));
    values.put("qualifiedName", new QualifiedName(1, "Boiler"));
    values.put("localizedText", new LocalizedText("de", "Vorlauf"));
    values.put("statusCode", new StatusCode(0x800A0000L));
    values.put("range", ExtensionObject.encode(getServer().getStaticEncodingContext(), new Range(-1.5, 20.0)));
    values.put("variants", new Variant[] {Variant.ofInt32(7), Variant.ofString("x")});
    values.put("setpoint", 0);
    for (int number = 0; number < bulk; number += 1) values.put("bulk." + number, number);
    values.forEach(this::addNode);
  }

  private void addNode(String name, Object value) {
    boolean isArray = value instanceof Variant[];
    NodeId type =
        isArray ? NodeIds.BaseDataType : value instanceof ExtensionObject ? NodeIds.Range : typeOf(value);
    UaVariableNode node =
        UaVariableNode.build(
            getNodeContext(),
            builder ->
                builder
                    .setNodeId(newNodeId(name))
                    .setBrowseName(newQualifiedName(name))
                    .setDisplayName(LocalizedText.english(name))
                    .setDataType(type)
                    .setValueRank(isArray ? 1 : -1)
                    .setAccessLevel(AccessLevel.READ_WRITE)
                    .setUserAccessLevel(AccessLevel.READ_WRITE)
                    .setValue(new DataValue(new Variant(value)))
                    .buildAndAdd());
    NodeId id = node.getNodeId();
    node.addReference(
        new Reference(id, NodeIds.Organizes, NodeIds.ObjectsFolder.expanded(), Reference.Direction.INVERSE));
  }

  private static NodeId typeOf(Object value) {
    return OpcUaDataType.fromBackingClass(value.getClass()).getNodeId();
  }

  @Override
  public void onDataItemsCreated(List<DataItem> items) {
    subscriptions.onDataItemsCreated(items);
  }

  @Override
  public void onDataItemsModified(List<DataItem> items) {
    subscriptions.onDataItemsModified(items);
  }

  @Override
  public void onDataItemsDeleted(List<DataItem> items) {
    subscriptions.onDataItemsDeleted(items);
  }

  @Override
  public void onMonitoringModeChanged(List<MonitoredItem> items) {
    subscriptions.onMonitoringModeChanged(items);
  }

  public static void main(String[] arguments) throws Exception {
    // For Aes256_Sha256_RsaPss.
    Security.addProvider(new BouncyCastleProvider());
    Map<String, String> settings = new HashMap<>();
    for (String argument : arguments) {
      int at = argument.indexOf('=');
      settings.put(argument.substring(0, at), argument.substring(at + 1));
    }
    X509Certificate certificate = readCertificate(settings.get("certificate"));
    PrivateKey key = readKey(settings.get("privateKey"));
    MemoryTrustListManager trust = new MemoryTrustListManager();
    if (settings.containsKey("trusted")) trust.addTrustedCertificate(readCertificate(settings.get("trusted")));
    MemoryCertificateQuarantine quarantine = new MemoryCertificateQuarantine();
    MemoryCertificateStore store = new MemoryCertificateStore();
    X509Certificate[] chain = {certificate};
    store.set(NodeIds.RsaSha256ApplicationCertificateType, new CertificateStore.Entry(key, chain));
    DefaultApplicationGroup group =
        DefaultApplicationGroup.createAndInitialize(
            trust, store, new Given(key, chain), new DefaultServerCertificateValidator(trust, quarantine));
    String[] user = settings.getOrDefault("user", "").split(":", 2);
    boolean hasUsers = settings.containsKey("user");
    int port = Integer.parseInt(settings.get("port"));
    int limit = Integer.parseInt(settings.getOrDefault("limit", "0"));
    OpcUaServerConfig config =
        OpcUaServerConfig.builder()
            .setApplicationUri(settings.get("applicationUri"))
            .setApplicationName(LocalizedText.english("counterpart"))
            .setProductUri("urn:penstock:test:product")
            .setEndpoints(makeEndpoints(port, certificate, hasUsers))
            .setIdentityValidator(
                hasUsers
                    ? new UsernameIdentityValidator(
                        challenge ->
                            challenge.getUsername().equals(user[0]) && challenge.getPassword().equals(user[1]))
                    : AnonymousIdentityValidator.INSTANCE)
            .setCertificateManager(new DefaultCertificateManager(quarantine, group))
            .setLimits(limit == 0 ? new OpcUaServerConfigLimits() {} : new Limits(UInteger.valueOf(limit)))
            .build();
    OpcUaServer server =
        new OpcUaServer(
            config, profile -> new OpcTcpServerTransport(OpcTcpServerTransportConfig.newBuilder().build()));
    new Counterpart(server, Integer.parseInt(settings.getOrDefault("bulk", "0"))).startup();
    server.startup().get();
    System.out.println("ready");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  /** With a path: a client must use it. */
  private static Set<EndpointConfig> makeEndpoints(int port, X509Certificate certificate, boolean hasUsers) {
    UserTokenPolicy users =
        new UserTokenPolicy("user", UserTokenType.UserName, null, null, SecurityPolicy.Basic256Sha256.getUri());
    UserTokenPolicy anyone = new UserTokenPolicy("anyone", UserTokenType.Anonymous, null, null, null);
    EndpointConfig.Builder base =
        EndpointConfig.newBuilder()
            .setBindAddress("127.0.0.1")
            .setBindPort(port)
            .setHostname("127.0.0.1")
            .setPath("/plant")
            .setTransportProfile(TransportProfile.TCP_UASC_UABINARY)
            .setCertificate(certificate)
            .addTokenPolicies(hasUsers ? users : anyone);
    Set<EndpointConfig> endpoints = new LinkedHashSet<>();
    endpoints.add(
        base.copy().setSecurityPolicy(SecurityPolicy.None).setSecurityMode(MessageSecurityMode.None).build());
    for (SecurityPolicy policy :
        List.of(
            SecurityPolicy.Aes128_Sha256_RsaOaep,
            SecurityPolicy.Basic256Sha256,
            SecurityPolicy.Aes256_Sha256_RsaPss)) {
      for (MessageSecurityMode mode : List.of(MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt)) {
        endpoints.add(base.copy().setSecurityPolicy(policy).setSecurityMode(mode).build());
      }
    }
    return endpoints;
  }

  private record Limits(UInteger most) implements OpcUaServerConfigLimits {
    @Override
    public UInteger getMaxNodesPerRead() {
      return most;
    }

    @Override
    public UInteger getMaxMonitoredItemsPerCall() {
      return most;
    }

    @Override
    public UInteger getMaxSubscriptionsPerSession() {
      return UInteger.valueOf(1);
    }
  }

  /** Makes nothing: the certificate is there. */
  private static final class Given extends RsaSha256CertificateFactory {
    private final PrivateKey key;
    private final X509Certificate[] chain;

    Given(PrivateKey key, X509Certificate[] chain) {
      this.key = key;
      this.chain = chain;
    }

    @Override
    protected KeyPair createRsaSha256KeyPair() {
      return new KeyPair(chain[0].getPublicKey(), key);
    }

    @Override
    protected X509Certificate[] createRsaSha256CertificateChain(KeyPair pair) {
      return chain;
    }
  }

  private static X509Certificate readCertificate(String file) throws Exception {
    try (var input = Files.newInputStream(Path.of(file))) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(input);
    }
  }

  private static PrivateKey readKey(String file) throws Exception {
    List<String> lines = new ArrayList<>(Files.readAllLines(Path.of(file)));
    lines.removeIf(line -> line.startsWith("-----"));
    byte[] bytes = Base64.getDecoder().decode(String.join("", lines));
    return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(bytes));
  }
}

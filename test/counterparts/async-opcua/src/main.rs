//! An OPC UA server on async-opcua. It takes its settings as key=value, says when it is ready, and ends with its input.

use std::{collections::HashMap, env, io::Read, str::FromStr};

use opcua::{
    crypto::SecurityPolicy,
    server::{
        address_space::VariableBuilder,
        diagnostics::NamespaceMetadata,
        node_manager::memory::{simple_node_manager, SimpleNodeManager},
        ServerBuilder, ServerUserToken, ANONYMOUS_USER_TOKEN_ID,
    },
    types::{
        ByteString, DataTypeId, DateTime, ExpandedNodeId, ExtensionObject, Guid, LocalizedText,
        MessageSecurityMode, NodeId, ObjectId, QualifiedName, Range, StatusCode, Variant, XmlElement,
    },
};

const NAMESPACE: &str = "urn:penstock:test";
const POLICIES: [(&str, SecurityPolicy); 3] = [
    ("aes128", SecurityPolicy::Aes128Sha256RsaOaep),
    ("basic256", SecurityPolicy::Basic256Sha256),
    ("aes256", SecurityPolicy::Aes256Sha256RsaPss),
];

fn values(bulk: i32) -> Vec<(String, DataTypeId, Variant)> {
    let far = ExpandedNodeId::from_str("svr=4;nsu=urn:far;i=7").unwrap();
    let range = ExtensionObject::from_message(Range { low: -1.5, high: 20.0 });
    let guid = Guid::from_str("72962b91-fa75-4ae6-8d28-b404dc7daf63").unwrap();
    let time = DateTime::parse_from_rfc3339("2024-02-29T12:00:00.123Z").unwrap();
    let all: Vec<(&str, DataTypeId, Variant)> = vec![
        ("boolean", DataTypeId::Boolean, true.into()),
        ("sByte", DataTypeId::SByte, (-128i8).into()),
        ("byte", DataTypeId::Byte, 255u8.into()),
        ("int16", DataTypeId::Int16, i16::MIN.into()),
        ("uint16", DataTypeId::UInt16, u16::MAX.into()),
        ("int32", DataTypeId::Int32, i32::MIN.into()),
        ("uint32", DataTypeId::UInt32, u32::MAX.into()),
        ("int64", DataTypeId::Int64, i64::MIN.into()),
        ("uint64", DataTypeId::UInt64, u64::MAX.into()),
        ("float", DataTypeId::Float, 12.5f32.into()),
        ("double", DataTypeId::Double, 0.1f64.into()),
        ("string", DataTypeId::String, "Kessel ß".into()),
        ("dateTime", DataTypeId::DateTime, time.into()),
        ("guid", DataTypeId::Guid, guid.into()),
        ("byteString", DataTypeId::ByteString, ByteString::from(vec![1u8, 2, 3]).into()),
        ("xmlElement", DataTypeId::XmlElement, XmlElement::from("<a>1</a>").into()),
        ("nodeId", DataTypeId::NodeId, NodeId::new(0, 85u32).into()),
        ("expandedNodeId", DataTypeId::ExpandedNodeId, far.into()),
        ("qualifiedName", DataTypeId::QualifiedName, QualifiedName::new(1, "Boiler").into()),
        ("localizedText", DataTypeId::LocalizedText, LocalizedText::new("de", "Vorlauf").into()),
        ("statusCode", DataTypeId::StatusCode, StatusCode::BadTimeout.into()),
        ("range", DataTypeId::Range, range.into()),
        ("setpoint", DataTypeId::Int32, 0i32.into()),
    ];
    let several = (0..bulk).map(|number| (format!("bulk.{number}"), DataTypeId::Int32, number.into()));
    all.into_iter().map(|(name, kind, value)| (name.to_owned(), kind, value)).chain(several).collect()
}

#[tokio::main]
async fn main() {
    let settings: HashMap<String, String> = env::args()
        .skip(1)
        .filter_map(|each| each.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())))
        .collect();
    let number = |key: &str| settings.get(key).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let user = settings.get("user").and_then(|text| text.split_once(':'));
    let tokens = [if user.is_some() { "user" } else { ANONYMOUS_USER_TOKEN_ID }];
    let metadata = NamespaceMetadata { namespace_uri: NAMESPACE.to_owned(), ..Default::default() };
    let mut builder = ServerBuilder::new()
        .application_name("counterpart")
        .application_uri(settings["applicationUri"].as_str())
        .product_uri("urn:penstock:test:product")
        .host("127.0.0.1")
        .port(number("port") as u16)
        .discovery_urls(vec![format!("opc.tcp://127.0.0.1:{}/", number("port"))])
        .pki_dir(settings["pki"].as_str())
        .certificate_path(settings["certificateDer"].as_str())
        .private_key_path(settings["privateKey"].as_str())
        // It has no other way to trust a certificate by its file.
        .trust_client_certs(settings.contains_key("trusted"))
        .add_endpoint(
            "none",
            ("/", SecurityPolicy::None, MessageSecurityMode::None, &tokens as &[&str]),
        )
        .with_node_manager(simple_node_manager(metadata, "counterpart"));
    for (name, policy) in POLICIES {
        for mode in [MessageSecurityMode::Sign, MessageSecurityMode::SignAndEncrypt] {
            builder =
                builder.add_endpoint(format!("{name}_{mode:?}"), ("/", policy, mode, &tokens as &[&str]));
        }
    }
    if let Some((name, password)) = user {
        builder = builder.add_user_token("user", ServerUserToken::user_pass(name, password));
    }
    if number("limit") > 0 {
        let limits = &mut builder.limits_mut().operational;
        limits.max_nodes_per_read = number("limit") as usize;
        limits.max_monitored_items_per_call = number("limit") as usize;
    }
    let (server, handle) = builder.build().unwrap();
    let manager = handle.node_managers().get_of_type::<SimpleNodeManager>().unwrap();
    let index = handle.get_namespace_index(NAMESPACE).unwrap();
    {
        let mut space = manager.address_space().write();
        for (name, kind, value) in values(number("bulk") as i32) {
            VariableBuilder::new(&NodeId::new(index, name.clone()), name.clone(), name)
                .data_type(kind)
                .value(value)
                .writable()
                .organized_by(ObjectId::ObjectsFolder)
                .insert(&mut *space);
        }
    }
    // It listens a little later; a client of the tests tries again.
    tokio::spawn(async move { server.run().await.unwrap() });
    while tokio::net::TcpStream::connect(("127.0.0.1", number("port") as u16)).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    println!("ready");
    let mut rest = Vec::new();
    tokio::task::spawn_blocking(move || std::io::stdin().read_to_end(&mut rest)).await.unwrap().unwrap();
    std::process::exit(0);
}

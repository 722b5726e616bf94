import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly opcua: typeof OPCUA_CODES;
    /** Names of StatusCodes: `BadNodeIdUnknown` is `OPCUA_BAD_NODE_ID_UNKNOWN`. */
    readonly opcuaStatuses: Readonly<Record<`OPCUA_BAD_${string}`, DeclaredCode>>;
  }
}

/** Error codes of OPC UA. */
export const OPCUA_CODES = {
  OPCUA_ARRAY_VALUE: { meaning: 'the node holds an array, and the channel takes or has one value' },
  OPCUA_CERTIFICATE_CHANGED: {
    status: 409,
    meaning: 'the server presents another certificate than the one to be trusted',
  },
  OPCUA_CERTIFICATE_NOT_TRUSTED: { status: 404, meaning: 'no such certificate is trusted by itself' },
  OPCUA_CERTIFICATE_UNUSABLE: {
    status: 409,
    meaning: 'the certificate would be refused although it is trusted',
  },
  OPCUA_CLOSED: { meaning: 'the configuration changed, or the gateway is stopping' },
  OPCUA_CONNECT_FAILED: { meaning: 'the server cannot be reached' },
  OPCUA_CONNECT_TIMEOUT: { meaning: 'the server did not open a session in time' },
  OPCUA_DATA_TYPE_UNKNOWN: { meaning: 'the server does not tell a type that can be written' },
  OPCUA_FIELD_UNKNOWN: { meaning: 'the structure has no such field' },
  OPCUA_INVALID_RESPONSE: { meaning: 'the server sent an invalid answer' },
  OPCUA_LINK_LOST: { meaning: 'the connection was lost' },
  OPCUA_NAMESPACE_UNKNOWN: { meaning: 'the server has no such namespace' },
  OPCUA_NODE_ID_INVALID: { status: 400, meaning: 'what is to be browsed is no NodeId' },
  OPCUA_NOTIFICATION_LOST: { meaning: 'a message with changes was lost; the gateway subscribes again' },
  OPCUA_NOT_CONNECTED: { meaning: 'there is no connection to the server at present' },
  OPCUA_FILE_UNUSABLE: { meaning: 'a file or directory for certificates cannot be used' },
  OPCUA_NO_ENDPOINT: { meaning: 'the server offers no endpoint with these security settings' },
  OPCUA_NO_RESPONSE: { meaning: 'the server did not answer in time' },
  OPCUA_NO_VALUE: { meaning: 'the node has no value' },
  OPCUA_OWN_CERTIFICATE: { meaning: 'the certificate of the gateway cannot be used' },
  OPCUA_PASSWORD_UNPROTECTED: { meaning: 'the password would be sent in clear text' },
  OPCUA_SERVER_CERTIFICATE: { meaning: 'the certificate of the server is not trusted' },
  OPCUA_SUBSCRIPTION_LOST: { meaning: 'the server ended the subscription; the gateway subscribes again' },
  OPCUA_SUBSCRIPTION_SILENT: { meaning: 'the subscription is silent; the gateway subscribes again' },
  OPCUA_TRUST_FILE_SHARED: { status: 409, meaning: 'the file has other certificates as well' },
  OPCUA_TRUST_FULL: { status: 409, meaning: 'too many files are in `trusted`' },
  OPCUA_TYPE_CHANGED: { meaning: 'the node has another type since, in which another value would be sent' },
  OPCUA_TYPE_UNAVAILABLE: {
    meaning:
      'the server ends the connection or does not answer when it is asked for the type of the structure; not asked for a while',
  },
  OPCUA_UNSUPPORTED_TYPE: { meaning: 'the type of the node is not supported' },
  OPCUA_USER_KIND_REFUSED: {
    meaning: 'with this protection the server takes no user of the kind that is set, or no anonymous session',
  },
  OPCUA_USER_CERTIFICATE: { meaning: 'the certificate of the user cannot be used' },
  OPCUA_NODE_NOT_WRITABLE: {
    meaning: 'by its UserAccessLevel the server does not let this user write; not sent',
  },
  OPCUA_VALUE_CLAMPED: { meaning: 'the server limited the value that was sent, and holds another one' },
  OPCUA_WRITE_OUTCOME_UNKNOWN: { meaning: 'it was sent, and no answer tells what it did' },
} as const satisfies Readonly<Record<string, DeclaredCode>>;

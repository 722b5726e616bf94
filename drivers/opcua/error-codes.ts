import type { DeclaredCode } from '../../daemon/base/error-codes.ts';

declare module '../../daemon/base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly opcua: typeof OPCUA_CODES;
    /** StatusCode names: `BadNodeIdUnknown` is `OPCUA_BAD_NODE_ID_UNKNOWN`. */
    readonly opcuaStatuses: Readonly<Record<`OPCUA_BAD_${string}`, DeclaredCode>>;
  }
}

/** Error codes of OPC UA. */
export const OPCUA_CODES = {
  OPCUA_ARRAY_VALUE: {
    meaning: 'the node is an array, but the channel has a single value',
    remedy: 'set an `indexRange`, or use value type `STRING`',
  },
  OPCUA_CERTIFICATE_CHANGED: {
    status: 409,
    meaning: 'the server presents a different certificate than the one to trust',
    remedy: 'compare the new one, then repeat',
  },
  OPCUA_CERTIFICATE_NOT_TRUSTED: {
    status: 404,
    meaning: 'no such trusted certificate',
    remedy: 'check the fingerprint',
  },
  OPCUA_CERTIFICATE_UNUSABLE: {
    status: 409,
    meaning: 'the certificate would be refused even if trusted',
    remedy: 'replace it on the server',
  },
  OPCUA_CLOSED: { meaning: 'the configuration changed, or the gateway is stopping', remedy: 'repeat' },
  OPCUA_CONNECT_FAILED: { meaning: 'the server cannot be reached', remedy: 'check URL, network, server' },
  OPCUA_CONNECT_TIMEOUT: { meaning: 'the server did not open a session in time', remedy: 'check the server' },
  OPCUA_DATA_TYPE_UNKNOWN: {
    meaning: 'the server reports no writable data type',
    remedy: 'set `dataType` in the address',
  },
  OPCUA_FIELD_UNKNOWN: { meaning: 'the structure has no such field', remedy: 'check `field`' },
  OPCUA_INVALID_RESPONSE: {
    meaning: 'the server sent an invalid response',
    remedy: 'report it to the vendor',
  },
  OPCUA_LINK_LOST: { meaning: 'the connection was lost', remedy: 'see `lastError`' },
  OPCUA_NAMESPACE_UNKNOWN: { meaning: 'the server has no such namespace', remedy: 'check `nodeId`' },
  OPCUA_NODE_ID_INVALID: {
    status: 400,
    meaning: 'the node to browse is not a NodeId',
    remedy: 'see [OPC UA servers](opcua.md#addresses)',
  },
  OPCUA_NOTIFICATION_LOST: {
    meaning: 'messages with changes are lost again and again; the gateway subscribes again',
    remedy: 'check the network and the load of the server',
  },
  OPCUA_NOT_CONNECTED: { meaning: 'not connected to the server', remedy: 'see `lastError`' },
  OPCUA_FILE_UNUSABLE: {
    meaning: 'a file or directory for certificates cannot be used',
    remedy: 'the log names it: check space and permissions',
  },
  OPCUA_NO_ENDPOINT: {
    meaning: 'the server offers no endpoint with these security settings',
    remedy: 'see [OPC UA servers](opcua.md)',
  },
  OPCUA_NO_RESPONSE: { meaning: 'the server did not respond in time', remedy: 'check the server' },
  OPCUA_NO_VALUE: { meaning: 'the node has no value', remedy: 'nothing' },
  OPCUA_OWN_CERTIFICATE: { meaning: 'the gateway certificate cannot be used', remedy: 'replace it' },
  OPCUA_PASSWORD_UNPROTECTED: {
    meaning: 'the password would be sent in clear text',
    remedy: 'use a security policy',
  },
  OPCUA_SERVER_CERTIFICATE: {
    meaning: 'the server certificate is not trusted',
    remedy: 'see [OPC UA servers](opcua.md)',
  },
  OPCUA_SUBSCRIPTION_LOST: {
    meaning: 'the server ended the subscription; the gateway subscribes again',
    remedy: 'nothing',
  },
  OPCUA_SUBSCRIPTION_SILENT: {
    meaning: 'the subscription is silent; the gateway subscribes again',
    remedy: 'check the server',
  },
  OPCUA_TRUST_FILE_SHARED: {
    status: 409,
    meaning: 'the file contains other certificates too',
    remedy: 'edit the file in `trusted`',
  },
  OPCUA_TRUST_FULL: { status: 409, meaning: 'too many files are in `trusted`', remedy: 'remove some' },
  OPCUA_TYPE_CHANGED: {
    meaning: 'the node has changed its data type, which would change the value',
    remedy: 'write again',
  },
  OPCUA_TYPE_UNAVAILABLE: {
    meaning:
      'the server ends the connection or does not respond when the type of the structure is requested; retried later',
    remedy: 'read its fields as separate nodes, or update the firmware of the server',
  },
  OPCUA_UNSUPPORTED_TYPE: { meaning: 'the type of the node is not supported', remedy: 'choose another node' },
  OPCUA_USER_KIND_REFUSED: {
    meaning: 'with this protection the server does not accept the configured user identity',
    remedy: 'see the message: it names the settings and what the server accepts',
  },
  OPCUA_USER_CERTIFICATE: { meaning: 'the user certificate cannot be used', remedy: 'replace it' },
  OPCUA_NODE_NOT_WRITABLE: {
    meaning: 'the user may not write the node (UserAccessLevel); not sent',
    remedy: 'extend the rights of the user at the server, or use another',
  },
  OPCUA_VALUE_CLAMPED: {
    meaning: 'the server limited the value and holds a different one',
    remedy: 'check the limits of the device',
  },
  OPCUA_WRITE_OUTCOME_UNKNOWN: {
    meaning: 'sent, but no response arrived; the outcome is unknown',
    remedy: 'read it back',
  },
} as const satisfies Readonly<Record<string, DeclaredCode>>;

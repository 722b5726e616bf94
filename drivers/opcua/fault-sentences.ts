/** English sentences of errors in OPC UA, by their code. */
export const OPCUA_FAULTS = {
  EXPECTED_NODE_ID: 'expected a NodeId, for example ns=2;s=Boiler.Level or nsu=urn:vendor:device;i=1001',
  EXPECTED_OPCUA_URL: 'expected an opc.tcp URL, for example opc.tcp://192.0.2.7:4840',
  USER_IN_URL: 'set the user in userName; the URL must not contain one',
  SECURITY_POLICY_DEPRECATED: '{policy} is deprecated because it is insecure; expected {policies}',
  USER_NAME_MISSING: 'is missing; a password requires a userName',
  PASSWORD_MISSING: 'is missing; a userName requires a password',
  PASSWORD_UNPROTECTED: 'NONE would disclose the password; expected SIGN or SIGN_AND_ENCRYPT',
  USER_TWICE: 'set either userName or userCertificateFile, not both',
  USER_CERTIFICATE_UNPROTECTED:
    'NONE cannot authenticate a user certificate; expected SIGN or SIGN_AND_ENCRYPT',
  EXPECTED_INDEX_RANGE:
    'expected an index from 0 (3) or a range (0:4); in a matrix one per dimension (1,0:4)',
  EXPECTED_FIELD_PATH: 'expected the path of a field, for example position.x or path[1].x',
  ATTRIBUTE_NOT_WRITABLE: '{attribute} can only be read; expected Value, or type READ',
  ATTRIBUTE_WITHOUT_ELEMENTS: '{attribute} has no elements',
  ATTRIBUTE_WITHOUT_FIELDS: '{attribute} has no fields',
  FIELD_WRITE_REPLACES_STRUCTURE:
    'a write of one field replaces the whole structure; expected type READ, or wholeStructure true in the address',
  ONLY_OF_FIELD: 'applies to a field of a structure',
  VALUE_TYPE_OF_ELEMENTS: 'expected STRING for several elements, or BYTE_ARRAY for bytes',
  VALUE_TYPE_OF_DATA_TYPE: 'expected {valueTypes} for data type {type}',
  METHOD_WITHOUT: 'a method has none',
  METHOD_ONLY_CALLED: 'a method can only be called; expected type WRITE',
} as const;

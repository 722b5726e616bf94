import type { DeclaredCode } from '../../base/error-codes.ts';

declare module '../../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly software: typeof SOFTWARE_CODES;
  }
}

const PACKAGE_COMMAND = 'penstock package prints the sentence';

/** Error codes of packages and bundles. */
export const SOFTWARE_CODES = {
  BUNDLE_UNKNOWN: { status: 404, meaning: 'no bundle of this name can run' },
  DEPLOYMENT_QUEUE_FULL: {
    status: 503,
    meaning: 'too many operations on packages wait, or too many of this identity',
  },
  DEPLOYMENT_UNWRITABLE: { status: 503, meaning: 'the operation cannot be stored' },
  MARKETPLACE_ANSWER_INVALID: {
    status: 502,
    meaning: 'the marketplace did not answer with a valid description',
  },
  MARKETPLACE_TIMEOUT: { status: 504, meaning: 'the marketplace did not answer in time' },
  MARKETPLACE_UNREACHABLE: { status: 502, meaning: 'the marketplace cannot be reached' },
  MARKETPLACE_URL_INVALID: { status: 400, meaning: 'the URL is not that of a marketplace entry' },
  OPERATION_UNKNOWN: { status: 404, meaning: 'there is no such operation on packages' },
  PACKAGE_TOO_LARGE: { status: 413, meaning: 'the package is larger than is accepted' },
  PACKAGE_UNKNOWN: { status: 404, meaning: 'no package of this name is installed' },
  URL_CREDENTIALS: { status: 400, meaning: 'the URL holds a name or password' },
  URL_INVALID: { status: 400, meaning: 'the URL cannot be used' },
  URL_SCHEME_UNSUPPORTED: { status: 400, meaning: 'the URL is neither file, http nor https' },
  VALUE_INVALID: { status: 400, meaning: 'a bundle gave a value that does not fit' },
  WRITE_TOO_LONG: { status: 400, meaning: 'a bundle wrote more than 1,000 values at once' },
  BUNDLE_NOT_RUNNING: { meaning: 'the bundle of the driver does not run' },
  PACKAGE_BAD_HEADER: { meaning: '452: a header has a wrong value' },
  PACKAGE_BUNDLE_NAME_ERROR: { meaning: '457: the manifest of a bundle names another bundle' },
  PACKAGE_BUNDLE_SHARING_VIOLATION: { meaning: '460: a bundle belongs to another package' },
  PACKAGE_CANCELLED: { meaning: '401: the gateway stopped' },
  PACKAGE_COMMIT_ERROR: { meaning: '462: the change could not be written' },
  PACKAGE_MISSING_BUNDLE: { meaning: '454: a bundle is missing' },
  PACKAGE_MISSING_FIXPACK_TARGET: { meaning: '453: the package to fix is not installed in that version' },
  PACKAGE_MISSING_HEADER: { meaning: '451: a header is missing' },
  PACKAGE_MISSING_RESOURCE: { meaning: '455: a resource is missing' },
  PACKAGE_NOT_A_JAR: { meaning: '404: no archive, or one that is refused' },
  PACKAGE_ORDER_ERROR: { meaning: '450: entries in a wrong order' },
  PACKAGE_OTHER_ERROR: { meaning: '463: anything else' },
  PACKAGE_SIGNING_ERROR: { meaning: '456: a signature is wrong or missing' },
  PACKAGE_TIMEOUT: { meaning: '465: it took too long' },
  BUNDLE_ACTIVATION_FAILED: { meaning: 'the bundle threw an error when it started' },
  BUNDLE_CALL_CANCELLED: { meaning: 'the caller gave up' },
  BUNDLE_CALL_FAILED: { meaning: 'a call threw an error' },
  BUNDLE_CALL_TIMEOUT: { meaning: 'a call was not answered in time' },
  BUNDLE_DEVICE_CHANGED: {
    meaning: 'a device of the bundle was plugged in; the bundle is started again with it',
  },
  BUNDLE_DEVICE_UNSUITABLE: { meaning: 'a `device=` of `Penstock-Permissions` is no character device' },
  BUNDLE_DIRECTORY_UNSAFE: {
    meaning: 'the directory of the bundle is not as it was installed, or the sandbox cannot be set up',
  },
  BUNDLE_ENDED: { meaning: 'the process of the bundle ended' },
  BUNDLE_MEMORY_EXCEEDED: { meaning: 'the bundle took more memory than allowed' },
  BUNDLE_NOT_LAUNCHED: {
    meaning: 'the service manager did not start the bundle; the message is that of the launcher',
  },
  BUNDLE_NOT_STARTABLE: { meaning: '`Penstock-Main` names no module of the bundle' },
  BUNDLE_OVERLOADED: { meaning: 'too many calls or bytes are under way' },
  BUNDLE_PERMISSIONS_INVALID: { meaning: '`Penstock-Permissions` or `Penstock-Identities` is wrong' },
  BUNDLE_PERMISSION_MISSING: { status: 403, meaning: 'the bundle lacks a permission that the error names' },
  BUNDLE_PROTOCOL_VIOLATED: { meaning: 'the bundle sent something that is not in the protocol' },
  BUNDLE_STOPPED: { meaning: 'the bundle was stopped' },
  BUNDLE_UNRESPONSIVE: { meaning: 'the bundle did not answer in time' },
  BUNDLE_STORAGE_EXCEEDED: {
    meaning: 'the bundle stores more than allowed, or data that cannot be measured',
  },
  DRIVER_TYPES_EXCEEDED: { status: 409, meaning: 'the bundle registers too many kinds of driver' },
  DRIVER_TYPE_INVALID: { status: 400, meaning: 'the name of a kind of driver is not allowed' },
  DRIVER_TYPE_TAKEN: { status: 409, meaning: 'another bundle has a driver of this name' },
  METHOD_UNKNOWN: { status: 404, meaning: 'the bundle calls a method that the gateway does not have' },
  PROVIDERS_EXCEEDED: { status: 409, meaning: 'the bundle registers too many authentication providers' },
  SCHEMA_NOT_SUPPORTED: { status: 400, meaning: 'a schema of settings uses more than is supported' },
  BUNDLE_MANIFEST_MISSING: { meaning: 'the folder of a bundle has no manifest', internal: PACKAGE_COMMAND },
  CERTIFICATE_UNREADABLE: {
    meaning: 'the certificate of the signer cannot be read',
    internal: PACKAGE_COMMAND,
  },
  FOLDER_UNREADABLE: { meaning: 'a file of the package cannot be read', internal: PACKAGE_COMMAND },
  FOLDER_UNSUITABLE: { meaning: 'no package can be made of the folder', internal: PACKAGE_COMMAND },
  HEADER_INVALID: { meaning: 'a header of the manifest cannot be written', internal: PACKAGE_COMMAND },
  KEY_OF_ANOTHER: { meaning: 'the key does not belong to the certificate', internal: PACKAGE_COMMAND },
  KEY_UNREADABLE: { meaning: 'the key cannot be read', internal: PACKAGE_COMMAND },
  KEY_UNSUITABLE: { meaning: 'no package can be signed with this kind of key', internal: PACKAGE_COMMAND },
  TIME_INVALID: { meaning: 'the time of the package is no number of seconds', internal: PACKAGE_COMMAND },
} as const satisfies Readonly<Record<string, DeclaredCode>>;

import type { DeclaredCode } from '../../base/error-codes.ts';

declare module '../../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly software: typeof SOFTWARE_CODES;
  }
}

const PACKAGE_COMMAND = 'penstock package prints the sentence';

/** Error codes of packages and bundles. */
export const SOFTWARE_CODES = {
  BUNDLE_WITHOUT_PROGRAM: {
    status: 409,
    meaning: 'the bundle has no program, or its files are damaged',
    remedy: 'install its package again',
  },
  BUNDLE_UNKNOWN: { status: 404, meaning: 'no bundle of this name can run', remedy: 'list the bundles' },
  DEPLOYMENT_QUEUE_FULL: {
    status: 503,
    meaning: 'too many package operations are queued, in total or for this identity',
    remedy: 'repeat after `Retry-After`',
  },
  DEPLOYMENT_UNWRITABLE: {
    status: 503,
    meaning: 'the operation cannot be stored',
    remedy: 'free disk space; see the log',
  },
  MARKETPLACE_ANSWER_INVALID: {
    status: 502,
    meaning: 'the marketplace did not respond with a valid description',
    remedy: 'check the URL',
  },
  MARKETPLACE_TIMEOUT: {
    status: 504,
    meaning: 'the marketplace did not respond in time',
    remedy: 'repeat later',
  },
  MARKETPLACE_UNREACHABLE: {
    status: 502,
    meaning: 'the marketplace cannot be reached',
    remedy: 'check the network and the address',
  },
  MARKETPLACE_URL_INVALID: {
    status: 400,
    meaning: 'the URL is not that of a marketplace entry',
    remedy: 'check the URL',
  },
  OPERATION_UNKNOWN: { status: 404, meaning: 'no package operation has this id', remedy: 'list `_status`' },
  PACKAGE_TOO_LARGE: {
    status: 413,
    meaning: 'the package exceeds the maximum size',
    remedy: 'make it smaller',
  },
  PACKAGE_UNKNOWN: {
    status: 404,
    meaning: 'no package of this name is installed',
    remedy: 'list the packages',
  },
  URL_CREDENTIALS: {
    status: 400,
    meaning: 'the URL contains a user name or password',
    remedy: 'remove them',
  },
  URL_INVALID: { status: 400, meaning: 'the URL cannot be used', remedy: 'correct it' },
  URL_SCHEME_UNSUPPORTED: {
    status: 400,
    meaning: 'the URL is neither file, http nor https',
    remedy: 'use one of these',
  },
  VALUE_INVALID: {
    status: 400,
    meaning: 'a bundle sent a value that does not match its type',
    remedy: 'correct the bundle',
  },
  WRITE_TOO_LONG: {
    status: 400,
    meaning: 'a bundle wrote more than 1,000 values at once',
    remedy: 'write them in several calls',
  },
  BUNDLE_NOT_RUNNING: { meaning: 'the bundle of the driver does not run', remedy: 'see its log' },
  PACKAGE_BAD_HEADER: { meaning: '452: a header has a wrong value', remedy: 'correct the manifest' },
  PACKAGE_BUNDLE_NAME_ERROR: {
    meaning: '457: the manifest of a bundle names another bundle',
    remedy: 'correct it',
  },
  PACKAGE_BUNDLE_SHARING_VIOLATION: {
    meaning: '460: a bundle belongs to another package',
    remedy: 'uninstall that one',
  },
  PACKAGE_CANCELLED: { meaning: '401: the gateway stopped', remedy: 'repeat' },
  PACKAGE_COMMIT_ERROR: { meaning: '462: the change could not be written', remedy: 'free disk space' },
  PACKAGE_MISSING_BUNDLE: { meaning: '454: a bundle is missing', remedy: 'complete the package' },
  PACKAGE_MISSING_FIXPACK_TARGET: {
    meaning: '453: the package to fix is not installed in that version',
    remedy: 'install it',
  },
  PACKAGE_MISSING_HEADER: { meaning: '451: a header is missing', remedy: 'correct the manifest' },
  PACKAGE_MISSING_RESOURCE: { meaning: '455: a resource is missing', remedy: 'complete the package' },
  PACKAGE_NOT_A_JAR: {
    meaning: '404: not an archive, or an unacceptable one',
    remedy: 'make it with `penstock package build`',
  },
  PACKAGE_ORDER_ERROR: {
    meaning: '450: entries in a wrong order',
    remedy: 'make it with `penstock package build`',
  },
  PACKAGE_OTHER_ERROR: { meaning: '463: anything else', remedy: 'see the message' },
  PACKAGE_SIGNING_ERROR: {
    meaning: '456: a signature is wrong or missing',
    remedy: 'sign it with a trusted key',
  },
  PACKAGE_TIMEOUT: { meaning: '465: the time limit was exceeded', remedy: 'see the log' },
  BUNDLE_ACTIVATION_FAILED: {
    meaning: 'the bundle threw an error when it started',
    remedy: 'correct the bundle',
  },
  BUNDLE_CALL_CANCELLED: { meaning: 'the caller gave up', remedy: 'nothing' },
  BUNDLE_CALL_FAILED: { meaning: 'a call threw an error', remedy: 'see its cause' },
  BUNDLE_CALL_TIMEOUT: { meaning: 'a call received no response in time', remedy: 'correct the bundle' },
  BUNDLE_DEVICE_CHANGED: {
    meaning: 'a device of the bundle was plugged in; the bundle restarts to use it',
    remedy: 'nothing',
  },
  BUNDLE_DEVICE_UNSUITABLE: {
    meaning: 'a `device=` of `Penstock-Permissions` is not a character device',
    remedy: 'name a character device',
  },
  BUNDLE_DIRECTORY_UNSAFE: {
    meaning: 'the directory of the bundle is not as it was installed, or the sandbox cannot be set up',
    remedy: 'install the package again',
  },
  BUNDLE_ENDED: { meaning: 'the process of the bundle ended', remedy: 'see its log' },
  BUNDLE_MEMORY_EXCEEDED: {
    meaning: 'the bundle took more memory than allowed',
    remedy: 'correct the bundle, or allow more',
  },
  BUNDLE_NOT_LAUNCHED: {
    meaning: 'the service manager did not start the bundle; the message comes from the launcher',
    remedy: "see `journalctl -u 'penstock-launcher@*'`",
  },
  BUNDLE_NOT_STARTABLE: {
    meaning: '`Penstock-Main` does not name a module of the bundle',
    remedy: 'correct the manifest',
  },
  BUNDLE_OVERLOADED: { meaning: 'too many calls or bytes are outstanding', remedy: 'send less at once' },
  BUNDLE_PERMISSIONS_INVALID: {
    meaning: '`Penstock-Permissions` or `Penstock-Identities` is wrong',
    remedy: 'correct the manifest',
  },
  BUNDLE_INTERFACE_UNSUPPORTED: {
    meaning:
      '`Penstock-Interface` names a version that the gateway does not have, or `Penstock-Memory` more than it gives',
    remedy: 'update the gateway, or correct the manifest',
  },
  BUNDLE_PERMISSION_MISSING: {
    status: 403,
    meaning: 'the bundle lacks a permission that the error names',
    remedy: 'add it to `Penstock-Permissions`',
  },
  BUNDLE_PROTOCOL_VIOLATED: {
    meaning: 'the bundle sent something that is not in the protocol',
    remedy: 'correct the bundle',
  },
  BUNDLE_SETTINGS_INVALID: {
    meaning: 'the settings of the bundle are missing or not valid',
    remedy: 'set them with `penstock bundle configure`',
  },
  BUNDLE_STOPPED: { meaning: 'the bundle was stopped', remedy: 'nothing' },
  BUNDLE_UNRESPONSIVE: { meaning: 'the bundle did not respond in time', remedy: 'correct the bundle' },
  BUNDLE_STORAGE_EXCEEDED: {
    meaning: 'the bundle [stores](bundles.md#storage) more than allowed, or data that cannot be measured',
    remedy: 'delete some of it, or allow more; then restart the bundle',
  },
  DRIVER_TYPES_EXCEEDED: {
    status: 409,
    meaning: 'the bundle registers too many driver types',
    remedy: 'register fewer',
  },
  DRIVER_TYPE_INVALID: {
    status: 400,
    meaning: 'the name of the driver type is not allowed',
    remedy: 'choose another',
  },
  DRIVER_TYPE_TAKEN: {
    status: 409,
    meaning: 'a driver of this type already exists',
    remedy: 'choose another',
  },
  JOURNAL_CURSOR_INVALID: {
    status: 400,
    meaning: 'the bundle names a cursor that the journal does not have',
    remedy: 'begin at `acknowledged()`',
  },
  JOURNAL_UNREADABLE: {
    status: 503,
    meaning: 'the disk does not let the gateway read the journal',
    remedy: 'see the log; free or replace the disk',
  },
  METHOD_UNKNOWN: {
    status: 404,
    meaning: 'the bundle calls a method that the gateway does not have',
    remedy: 'correct the bundle',
  },
  PROVIDERS_EXCEEDED: {
    status: 409,
    meaning: 'the bundle registers too many authentication providers',
    remedy: 'register fewer',
  },
  RECORDER_UNKNOWN: {
    status: 404,
    meaning: 'the bundle reads a recorder that is not configured',
    remedy: 'add it to `recorders`, or name another in the settings of the bundle',
  },
  SCHEMA_NOT_SUPPORTED: {
    status: 400,
    meaning: 'a settings schema uses [unsupported keywords](bundles.md#a-driver)',
    remedy: 'simplify it',
  },
  BUNDLE_MANIFEST_MISSING: {
    meaning: 'the directory of a bundle has no manifest',
    internal: PACKAGE_COMMAND,
  },
  CERTIFICATE_UNREADABLE: {
    meaning: 'the certificate of the signer cannot be read',
    internal: PACKAGE_COMMAND,
  },
  FOLDER_UNREADABLE: { meaning: 'a file of the package cannot be read', internal: PACKAGE_COMMAND },
  FOLDER_UNSUITABLE: { meaning: 'the directory cannot become a package', internal: PACKAGE_COMMAND },
  HEADER_INVALID: { meaning: 'a header of the manifest cannot be written', internal: PACKAGE_COMMAND },
  KEY_OF_ANOTHER: { meaning: 'the key does not match the certificate', internal: PACKAGE_COMMAND },
  KEY_UNREADABLE: { meaning: 'the key cannot be read', internal: PACKAGE_COMMAND },
  KEY_UNSUITABLE: { meaning: 'this type of key cannot sign packages', internal: PACKAGE_COMMAND },
  TIME_INVALID: { meaning: 'the time of the package is not a number of seconds', internal: PACKAGE_COMMAND },
} as const satisfies Readonly<Record<string, DeclaredCode>>;

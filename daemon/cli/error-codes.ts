import { PRINTED } from '../base/error-codes.ts';
import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly cli: typeof CLI_CODES;
    /** HTTP status of a response, for example `STATUS_404`. */
    readonly answers: Readonly<Record<`STATUS_${number}`, DeclaredCode>>;
  }
}

const BACKUP = 'penstock backup and penstock restore print the message';
const SIMULATE = 'penstock simulate prints the message';

/** Error codes of the command line and the simulated plant. */
export const CLI_CODES = {
  AUDIT_BROKEN: { meaning: 'the chain of the audit log is broken', internal: PRINTED },
  AUTHORITY_BUSY: {
    meaning: 'another command has locked the certificate authority for too long',
    internal: PRINTED,
  },
  AUTHORITY_EXISTS: { meaning: 'the directory already has a certificate authority', internal: PRINTED },
  AUTHORITY_MISSING: { meaning: 'the directory has no certificate authority', internal: PRINTED },
  BUNDLE_NOT_CREATED: { meaning: 'the directory of a new bundle cannot be created', internal: PRINTED },
  BUNDLE_SETTINGS_REFUSED: { meaning: 'a bundle refuses its new settings', internal: PRINTED },
  CERTIFICATE_UNKNOWN: {
    meaning: 'the certificate authority did not issue the certificate',
    internal: PRINTED,
  },
  CERTIFICATE_UNUSABLE: {
    meaning: 'the certificate would be refused although it is trusted',
    internal: PRINTED,
  },
  CHANNELS_FAILED: { meaning: 'some of the channels failed', internal: PRINTED },
  CHANNEL_EXISTS: { meaning: 'the asset already has a channel with this name', internal: PRINTED },
  CHANNEL_OF_TEMPLATE: { meaning: 'the channel is defined by the template of the asset', internal: PRINTED },
  CHILD_ENDED: { meaning: 'a program of the demonstration ended', internal: PRINTED },
  CONSENT_MISSING: { meaning: 'the user did not confirm', internal: PRINTED },
  DRIVER_USED: { meaning: 'assets use the driver', internal: PRINTED },
  EXPORT_UNREADABLE: { meaning: 'the file is not a complete export of the audit log', internal: PRINTED },
  FILE_UNREADABLE: { meaning: 'a file cannot be read', internal: PRINTED },
  FINDINGS: { meaning: 'a check failed', internal: PRINTED },
  FINGERPRINT_DIFFERS: {
    meaning: 'the device presents a certificate with another fingerprint',
    internal: PRINTED,
  },
  GRANTS_CHANGED: { meaning: 'the grants of the identity were changed at the same time', internal: PRINTED },
  GRANTS_HIDDEN: { meaning: 'the gateway does not show the grants of the identity', internal: PRINTED },
  IMPORT_PARTIAL: { meaning: 'part of the file cannot be imported', internal: PRINTED },
  IMPORT_UNREADABLE: { meaning: 'the file to import cannot be read', internal: PRINTED },
  ITEM_EXISTS: { meaning: 'an item of the configuration already has this pid', internal: PRINTED },
  JOURNAL_MISSING: { meaning: 'the journal of systemd cannot be read', internal: PRINTED },
  LEDGER_INVALID: { meaning: 'the ledger of the certificate authority is damaged', internal: PRINTED },
  NOTHING_FOUND: { meaning: 'a scan found nothing to add', internal: PRINTED },
  NOTHING_IMPORTED: { meaning: 'nothing in the file can be imported', internal: PRINTED },
  NOT_IN_FORCE: { meaning: 'the gateway does not serve the new setup in time', internal: PRINTED },
  NOT_MADE_HERE: { meaning: 'files exist that setup did not create', internal: PRINTED },
  NOT_REACHED: { meaning: 'the gateway does not respond', internal: PRINTED },
  NO_INPUT: { meaning: 'a requested value was not entered', internal: PRINTED },
  NO_PROTOCOL: { meaning: 'the machine supports none of the protocols', internal: PRINTED },
  OPERATION_FAILED: { meaning: 'the operation on the package failed', internal: PRINTED },
  OPERATION_LEFT: { meaning: 'the command ended before the operation on the package', internal: PRINTED },
  REFUSED: {
    meaning: 'the gateway did not accept the credentials, or does not permit the request',
    internal: PRINTED,
  },
  SCAN_CUT_OFF: { meaning: 'the gateway stopped the scan before it was complete', internal: PRINTED },
  SCAN_STOPPED: { meaning: 'the user stopped the scan', internal: PRINTED },
  STOPPED: { meaning: 'the user stopped the command', internal: PRINTED },
  TEMPLATE_INVALID: { meaning: 'some template files are invalid', internal: PRINTED },
  TEST_FAILED: { meaning: 'the test of the connection failed', internal: PRINTED },
  UPLOAD_STOPPED: { meaning: 'the user stopped the upload', internal: PRINTED },
  USAGE: { meaning: 'the command line is wrong', internal: PRINTED },
  AGE_HEADER: { meaning: 'the file is not encrypted, or its header is damaged', internal: BACKUP },
  AGE_PASSPHRASE: { meaning: 'the passphrase is wrong, or cannot be used', internal: BACKUP },
  AGE_PAYLOAD: { meaning: 'the encrypted file is damaged or cut off', internal: BACKUP },
  AGE_TAMPERED: { meaning: 'the header of the encrypted file was changed', internal: BACKUP },
  ARCHIVE_INVALID: { meaning: 'the archive in the backup cannot be used', internal: BACKUP },
  FILE_UNWRITABLE: { meaning: 'the output file cannot be written', internal: PRINTED },
  FOLDERS_NESTED: { meaning: 'a directory of the gateway is inside another one', internal: BACKUP },
  GATEWAY_CHANGES: { meaning: 'the gateway was changed during each attempt', internal: BACKUP },
  FOLDER_FOREIGN: {
    meaning: 'the directory to replace contains files that are not of a gateway',
    internal: BACKUP,
  },
  GATEWAY_PRESENT: { meaning: 'a gateway already exists', internal: BACKUP },
  GATEWAY_RUNS: { meaning: 'the gateway is running', internal: BACKUP },
  JOURNAL_INVALID: { meaning: 'the journal of an interrupted restore is damaged', internal: BACKUP },
  MOUNT_POINT: { meaning: 'the directory to replace is a mount point', internal: BACKUP },
  NAME_INVALID: { meaning: 'a path in the backup cannot be used', internal: BACKUP },
  OWNER_REFUSED: { meaning: 'the owner of files cannot be set', internal: BACKUP },
  RELEASE_TOO_OLD: { meaning: 'the backup was made by a newer release', internal: BACKUP },
  RESTORE_FAILED: { meaning: 'a file cannot be restored', internal: BACKUP },
  LINK_UNAVAILABLE: { meaning: 'the link to the pseudo terminal cannot be created', internal: SIMULATE },
  OPCUA_SERVER_MISSING: { meaning: 'the library for OPC UA servers is not installed', internal: SIMULATE },
  PERL_MISSING: { meaning: 'perl cannot be started', internal: SIMULATE },
  PSEUDO_TERMINAL_UNAVAILABLE: { meaning: 'a pseudo terminal cannot be created', internal: SIMULATE },
} as const satisfies Readonly<Record<string, DeclaredCode>>;

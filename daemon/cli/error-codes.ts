import { PRINTED } from '../base/error-codes.ts';
import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly cli: typeof CLI_CODES;
    /** Status of an answer of the gateway, as for `STATUS_404`. */
    readonly answers: Readonly<Record<`STATUS_${number}`, DeclaredCode>>;
  }
}

const BACKUP = 'penstock backup and penstock restore print the sentence';
const SIMULATE = 'penstock simulate prints the sentence';

/** Error codes of the command line and the simulated plant. */
export const CLI_CODES = {
  AUDIT_BROKEN: { meaning: 'the chain of the audit log is broken', internal: PRINTED },
  AUTHORITY_BUSY: {
    meaning: 'another command has used the certificate authority for too long',
    internal: PRINTED,
  },
  AUTHORITY_EXISTS: { meaning: 'the directory has a certificate authority already', internal: PRINTED },
  AUTHORITY_MISSING: { meaning: 'the directory has no certificate authority', internal: PRINTED },
  CERTIFICATE_UNKNOWN: {
    meaning: 'the certificate authority did not issue the certificate',
    internal: PRINTED,
  },
  CERTIFICATE_UNUSABLE: {
    meaning: 'the certificate would be refused although it is trusted',
    internal: PRINTED,
  },
  CHANNELS_FAILED: { meaning: 'some of the channels failed', internal: PRINTED },
  CHANNEL_EXISTS: { meaning: 'the asset has a channel of this name already', internal: PRINTED },
  CHANNEL_OF_TEMPLATE: { meaning: 'the channel comes of the template of the asset', internal: PRINTED },
  CHILD_ENDED: { meaning: 'a program of the demonstration ended', internal: PRINTED },
  CONSENT_MISSING: { meaning: 'the user did not consent', internal: PRINTED },
  DRIVER_USED: { meaning: 'assets use the driver', internal: PRINTED },
  EXPORT_UNREADABLE: { meaning: 'the file is no whole export of the audit log', internal: PRINTED },
  FILE_UNREADABLE: { meaning: 'a file cannot be read', internal: PRINTED },
  FINDINGS: { meaning: 'a check found faults', internal: PRINTED },
  FINGERPRINT_DIFFERS: {
    meaning: 'the device presents a certificate with another fingerprint',
    internal: PRINTED,
  },
  GRANTS_CHANGED: { meaning: 'the grants of the identity were changed at the same time', internal: PRINTED },
  GRANTS_HIDDEN: { meaning: 'the gateway does not show the grants of the identity', internal: PRINTED },
  IMPORT_PARTIAL: { meaning: 'a part of the file cannot be imported', internal: PRINTED },
  IMPORT_UNREADABLE: { meaning: 'the file to import cannot be read', internal: PRINTED },
  ITEM_EXISTS: { meaning: 'an item of the configuration has this pid already', internal: PRINTED },
  JOURNAL_MISSING: { meaning: 'the journal of systemd cannot be read', internal: PRINTED },
  LEDGER_INVALID: { meaning: 'the ledger of the certificate authority is damaged', internal: PRINTED },
  NOTHING_FOUND: { meaning: 'a scan found nothing that could be added', internal: PRINTED },
  NOTHING_IMPORTED: { meaning: 'nothing of the file can be imported', internal: PRINTED },
  NOT_IN_FORCE: { meaning: 'the gateway does not serve in time as it was set up', internal: PRINTED },
  NOT_MADE_HERE: { meaning: 'files are in place that the setup did not make', internal: PRINTED },
  NOT_REACHED: { meaning: 'the gateway does not answer', internal: PRINTED },
  NO_INPUT: { meaning: 'a value that the command asks for was not given', internal: PRINTED },
  NO_PROTOCOL: { meaning: 'the machine can simulate none of the protocols', internal: PRINTED },
  OPERATION_FAILED: { meaning: 'the operation on the package failed', internal: PRINTED },
  OPERATION_LEFT: { meaning: 'the command ended before the operation on the package', internal: PRINTED },
  REFUSED: {
    meaning: 'the gateway did not accept the credentials, or does not permit the request',
    internal: PRINTED,
  },
  SCAN_CUT_OFF: { meaning: 'the gateway ended the scan before it was complete', internal: PRINTED },
  SCAN_STOPPED: { meaning: 'the user stopped the scan', internal: PRINTED },
  STOPPED: { meaning: 'the user stopped the command', internal: PRINTED },
  TEMPLATE_INVALID: { meaning: 'some of the template files cannot be used', internal: PRINTED },
  TEST_FAILED: { meaning: 'the test of the connection failed', internal: PRINTED },
  UPLOAD_STOPPED: { meaning: 'the user stopped the upload', internal: PRINTED },
  USAGE: { meaning: 'the command line is wrong', internal: PRINTED },
  AGE_HEADER: { meaning: 'the file is not encrypted, or its header is damaged', internal: BACKUP },
  AGE_PASSPHRASE: { meaning: 'the passphrase is wrong, or cannot be used', internal: BACKUP },
  AGE_PAYLOAD: { meaning: 'the encrypted file is damaged or cut off', internal: BACKUP },
  AGE_TAMPERED: { meaning: 'the header of the encrypted file was changed', internal: BACKUP },
  ARCHIVE_INVALID: { meaning: 'the archive in the backup cannot be used', internal: BACKUP },
  FILE_UNWRITABLE: { meaning: 'the backup cannot be written', internal: BACKUP },
  FOLDERS_NESTED: { meaning: 'one folder of the gateway lies in another', internal: BACKUP },
  GATEWAY_CHANGES: { meaning: 'the gateway was changed while each copy was made', internal: BACKUP },
  FOLDER_FOREIGN: { meaning: 'the folder to replace holds what is not of a gateway', internal: BACKUP },
  GATEWAY_PRESENT: { meaning: 'there is a gateway already', internal: BACKUP },
  GATEWAY_RUNS: { meaning: 'the gateway runs', internal: BACKUP },
  JOURNAL_INVALID: { meaning: 'the journal of an interrupted restore is damaged', internal: BACKUP },
  MOUNT_POINT: { meaning: 'the folder to replace is a mount point', internal: BACKUP },
  NAME_INVALID: { meaning: 'a path in the backup cannot be used', internal: BACKUP },
  OWNER_REFUSED: { meaning: 'files cannot be given to their owners', internal: BACKUP },
  RELEASE_TOO_OLD: { meaning: 'the backup was made by a newer release', internal: BACKUP },
  RESTORE_FAILED: { meaning: 'a file cannot be restored', internal: BACKUP },
  LINK_UNAVAILABLE: { meaning: 'the link to the pseudo terminal cannot be created', internal: SIMULATE },
  OPCUA_SERVER_MISSING: { meaning: 'the library for OPC UA servers is not installed', internal: SIMULATE },
  PERL_MISSING: { meaning: 'perl cannot be started', internal: SIMULATE },
  PSEUDO_TERMINAL_UNAVAILABLE: { meaning: 'a pseudo terminal cannot be created', internal: SIMULATE },
} as const satisfies Readonly<Record<string, DeclaredCode>>;

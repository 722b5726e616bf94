import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEPLOYMENT_CODES } from '../../daemon/package/deployment-error.ts';
import { ExceptionAnswer } from '../../drivers/modbus/modbus-errors.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Codes that no client, operator or reader of the log sees, by the reason. */
const INTERNAL: Readonly<Record<string, readonly string[]>> = {
  'a bundle sees the error of the system or of Node.js': [
    'ENOTDIR',
    'ERR_MODULE_NOT_FOUND',
    'MODULE_NOT_FOUND',
  ],
  'the command line prints the sentence and ends with a status': [
    'AUDIT_BROKEN',
    'AUTHORITY_BUSY',
    'AUTHORITY_EXISTS',
    'AUTHORITY_MISSING',
    'CERTIFICATE_MAKER_FAILED',
    'CERTIFICATE_REQUEST_INVALID',
    'CERTIFICATE_UNKNOWN',
    'CERTIFICATE_UNUSABLE',
    'CHANNELS_FAILED',
    'CHANNEL_EXISTS',
    'CHANNEL_OF_TEMPLATE',
    'CHILD_ENDED',
    'CONSENT_MISSING',
    'DRIVER_USED',
    'EXPORT_UNREADABLE',
    'FILE_UNREADABLE',
    'FINDINGS',
    'FINGERPRINT_DIFFERS',
    'GRANTS_CHANGED',
    'GRANTS_HIDDEN',
    'IMPORT_PARTIAL',
    'IMPORT_UNREADABLE',
    'ITEM_EXISTS',
    'JOURNAL_MISSING',
    'KEY_UNREADABLE',
    'LEDGER_INVALID',
    'NOTHING_FOUND',
    'NOTHING_IMPORTED',
    'NOT_IN_FORCE',
    'NOT_MADE_HERE',
    'NOT_REACHED',
    'NO_INPUT',
    'NO_PROTOCOL',
    'OPERATION_FAILED',
    'OPERATION_LEFT',
    'PASSWORD_UNSUITABLE',
    'REFUSED',
    'RELOAD_FAILED',
    'RELOAD_UNANSWERED',
    'SCAN_CUT_OFF',
    'SCAN_STOPPED',
    'STATUS_400',
    'STATUS_404',
    'STATUS_412',
    'STOPPED',
    'TEMPLATE_INVALID',
    'TEST_FAILED',
    'UPLOAD_STOPPED',
    'USAGE',
  ],
  'penstock backup and penstock restore print the sentence': [
    'AGE_HEADER',
    'AGE_PASSPHRASE',
    'AGE_PAYLOAD',
    'AGE_TAMPERED',
    'ARCHIVE_INVALID',
    'FILE_UNWRITABLE',
    'FOLDERS_NESTED',
    'GATEWAY_CHANGES',
    'FOLDER_FOREIGN',
    'GATEWAY_PRESENT',
    'GATEWAY_RUNS',
    'JOURNAL_INVALID',
    'MOUNT_POINT',
    'NAME_INVALID',
    'OWNER_REFUSED',
    'RELEASE_TOO_OLD',
    'RESTORE_FAILED',
  ],
  'penstock package prints the sentence': [
    'BUNDLE_MANIFEST_MISSING',
    'CERTIFICATE_UNREADABLE',
    'FOLDER_UNREADABLE',
    'FOLDER_UNSUITABLE',
    'HEADER_INVALID',
    'KEY_OF_ANOTHER',
    'KEY_UNREADABLE',
    'KEY_UNSUITABLE',
    'TIME_INVALID',
  ],
  'penstock simulate prints the sentence': [
    'LINK_UNAVAILABLE',
    'OPCUA_SERVER_MISSING',
    'PERL_MISSING',
    'PSEUDO_TERMINAL_UNAVAILABLE',
  ],
  'a daemon that does not start prints the sentence, and a reload logs it': [
    'CERTIFICATE_AUTHORITIES_INVALID',
    'DIRECTORY_UNAVAILABLE',
    'METRICS_PORT_UNAVAILABLE',
    'PORT_FORBIDDEN',
    'PORT_HELD',
    'PORT_IN_USE',
    'PORT_OPEN_TOO_WIDE',
    'PORT_UNAVAILABLE',
    'RELOAD_FAILED',
    'RELOAD_UNANSWERED',
    'REVOCATION_LIST_INVALID',
    'SETTINGS_INVALID',
    'SETTINGS_UNREADABLE',
    'STORE_IN_USE',
    'STORE_TOO_NEW',
  ],
  'each is a part of PASSWORD_TOO_WEAK': [
    'PASSWORD_NOT_TEXT',
    'PASSWORD_TOO_LONG',
    'PASSWORD_TOO_SHORT',
    'PASSWORD_WITH_CONTROL_CHARACTER',
    'PASSWORD_WITH_NAME',
    'PASSWORD_COMMON',
    'PASSWORD_WITHOUT_BOTH_CASES',
    'PASSWORD_WITHOUT_DIGIT',
    'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
  ],
  'of Node.js or the operating system; the sources compare them, or raise them as the system would': [
    'EACCES',
    'EAGAIN',
    'ECONNRESET',
    'EINTR',
    'EISDIR',
    'ENOENT',
    'ENOSPC',
    'ENXIO',
    'EPERM',
    'ERR_ACCESS_DENIED',
    'ERR_BUFFER_TOO_LARGE',
    'ETIMEDOUT',
    'ERR_HTTP_REQUEST_TIMEOUT',
    'HPE_HEADER_OVERFLOW',
  ],
  'the label of a PEM text': ['CERTIFICATE'],
};

const CODE = "'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)'";
/** Where a literal in the sources is the code of an error; the first group is the code. */
const ORIGINS = [
  // const QUEUE_FULL_CODE = 'X'
  new RegExp(`\\bconst [A-Z_]+_CODE = ${CODE}`, 'g'),
  // { code: 'X' }, { code: isLate ? 'X' : 'Y' }, const code = 'X', readonly code: 'X' | 'Y'
  new RegExp(`\\b[cC]ode(?: =|:)[^,;{}()]*?${CODE}`, 'g'),
  new RegExp(`\\b[cC]ode(?: =|:)[^,;{}()]*?'[A-Z0-9_]+'\\s*[:|]\\s*${CODE}`, 'g'),
  // new BundleError('X', …), fail('X', …), this.#failure('X', …), refuse('X', …)
  new RegExp(`\\bnew \\w+(?:Error|Fault|Refused)\\(\\s*${CODE}`, 'g'),
  new RegExp(`\\b(?:fail|failure|refuse|busy|attempt)(?:<\\w+>)?\\(\\s*${CODE}`, 'g'),
  // createUnknownOutcome('X', …), createRequestQueue('X')
  new RegExp(`\\bunknownCode: ${CODE}`, 'g'),
  new RegExp(`\\bcreate(?:UnknownOutcome|RequestQueue)\\(\\s*${CODE}`, 'g'),
  // parseCertificates(file, text, 'X')
  new RegExp(`\\bparseCertificates\\([^;]*?${CODE}`, 'g'),
  // [/no such file/i, 'X', …]
  new RegExp(`/i,\\s*${CODE}`, 'g'),
  // record === undefined ? 'X' : record.failure?.code
  new RegExp(`\\? ${CODE} : [\\w.?]+\\.code\\b`, 'g'),
];

const sources = ['daemon', 'drivers'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8')),
);

function listRaised(): readonly string[] {
  const literals = sources.flatMap((text) =>
    ORIGINS.flatMap((origin) => [...text.matchAll(origin)].map(([, code = '']) => code)),
  );
  // Reasons of packages get their prefix, and exceptions of Modbus their name, where the error is created.
  const spelled = literals.map((code) => (code in DEPLOYMENT_CODES ? `PACKAGE_${code}` : code));
  const exceptions = Array.from({ length: 256 }, (_, code) => new ExceptionAnswer(1, code).code);
  return [...new Set([...spelled, ...exceptions])].toSorted();
}

function listDocumented(): readonly string[] {
  const page = readFileSync(path.join(ROOT, 'docs/error-codes.md'), 'utf8');
  return [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` +\| /gm)].map(([, code = '']) => code);
}

const internal = Object.values(INTERNAL).flat();

test('docs/error-codes.md names every public code that is raised, and no other', () => {
  const raised = listRaised();
  assert.ok(raised.length > 250, 'the sources are read');
  assert.deepEqual(
    listDocumented().toSorted(),
    raised.filter((code) => !internal.includes(code)),
  );
});

test('docs/error-codes.md describes the meaning of each code and the remedy, once', () => {
  const documented = listDocumented();
  assert.equal(new Set(documented).size, documented.length);
  const page = readFileSync(path.join(ROOT, 'docs/error-codes.md'), 'utf8');
  const complete = page.match(/^\| `[A-Z0-9_]+` +\| \S[^|]* \| \S[^|]* \|$/gm) ?? [];
  assert.equal(complete.length, documented.length);
});

test('every code that is listed as internal is raised', () => {
  const raised = listRaised();
  assert.deepEqual(
    internal.filter((code) => !raised.includes(code)),
    [],
  );
});

import { testDriver } from '../../interface/plant/drivers.ts';
import { promptYesNo } from '../terminal/prompt.ts';
import type { Invocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { fetchItems, getItem } from '../configuration/configured-item.ts';
import {
  distrustDeviceCertificate,
  readDeviceCertificate,
  trustDeviceCertificate,
} from '../../interface/plant/device-trust.ts';
import type { PresentedCertificate } from '../../interface/plant/device-trust.ts';
import type { Options } from '../command-group.ts';
import { formatFields } from '../terminal/table.ts';
import { formatLocalTime } from '../terminal/local-time.ts';

/** Options of `penstock driver trust`. */
export const TRUST_OPTIONS = {
  fingerprint: {
    value: 'SHA256',
    help: 'trust the certificate without asking if it has this fingerprint',
  },
  remove: { help: 'stop trusting the certificate, from the next connection on' },
} as const satisfies Options;

/**
 * Shows the certificate of a device and makes the gateway trust it after confirmation at the terminal, or if it has the
 * given fingerprint.
 *
 * @throws {CommandError} `CONSENT_MISSING`, `FINGERPRINT_DIFFERS`, `CERTIFICATE_UNUSABLE`; errors of the gateway
 */
export async function trustDevice(invocation: Invocation): Promise<void> {
  const { client, options, words, terminal, show, isJson } = invocation;
  const [pid = ''] = words;
  getItem(await fetchItems(client, 'drivers'), 'driver', pid);
  const wanted = readFingerprint(options['fingerprint']);
  if (options['remove'] === true) return distrust(invocation, pid, wanted);
  const presented = await client.call(readDeviceCertificate, { pid });
  if (!isJson) show(presented, describePresented);
  checkUsable(presented);
  if (presented.trustedAs === undefined) await confirm(invocation, presented, wanted);
  const { fingerprint } = presented;
  checkEqual(presented, wanted);
  const trusted =
    presented.trustedAs === undefined
      ? await client.call(trustDeviceCertificate, { pid }, { fingerprint })
      : presented;
  if (isJson) return show(trusted, () => '');
  if (presented.trustedAs === undefined) terminal.note(TRUSTED);
  const test = await client.call(testDriver, { pid });
  terminal.note(
    test.outcome === 'FAILED'
      ? `${pid} is not connected yet: ${test.message ?? 'no answer'}\n`
      : `${pid} is connected\n`,
  );
}

const TRUSTED =
  'The gateway trusts only this certificate, not its issuer. If the device gets a\nnew certificate, trust that one as well.\n';

function checkUsable({ problems }: PresentedCertificate): void {
  const lasting = problems.find(({ isCurable }) => !isCurable);
  if (lasting === undefined) return;
  const detail = `the certificate cannot be used: ${lasting.message}; nothing was trusted`;
  throw new CommandError({ code: 'CERTIFICATE_UNUSABLE', detail });
}

async function confirm(
  { terminal, show, isJson }: Invocation,
  presented: PresentedCertificate,
  wanted: string | undefined,
): Promise<void> {
  if (wanted !== undefined) return;
  const refusal = `nothing was trusted; compare the fingerprint with that of the device, then repeat with --fingerprint ${presented.fingerprint}`;
  if (isJson) {
    show(presented, () => '');
    throw new CommandError({ code: 'CONSENT_MISSING', detail: refusal });
  }
  await promptYesNo('Does the device display this fingerprint, and do you trust it?', refusal, terminal);
}

function checkEqual({ fingerprint }: PresentedCertificate, wanted: string | undefined): void {
  if (wanted === undefined || wanted === fingerprint) return;
  const detail = `the device presents a certificate with the fingerprint ${fingerprint}; nothing was trusted`;
  throw new CommandError({ code: 'FINGERPRINT_DIFFERS', detail });
}

async function distrust(
  { client, terminal, show, isJson }: Invocation,
  pid: string,
  wanted: string | undefined,
): Promise<void> {
  const fingerprint = wanted ?? (await client.call(readDeviceCertificate, { pid })).fingerprint;
  const removed = await client.call(distrustDeviceCertificate, { pid, fingerprint });
  show(removed, ({ subject }) => `${subject} (${groupFingerprint(fingerprint)}) is no longer trusted\n`);
  if (!isJson) terminal.note('An open connection stays open until it closes.\n');
}

function readFingerprint(option: unknown): string | undefined {
  if (typeof option !== 'string') return undefined;
  const digits = option.replaceAll(/[\s:]/g, '').toLowerCase();
  if (/^[\da-f]{64}$/.test(digits)) return digits;
  throw new UsageError(`--fingerprint "${option}": expected the 64 hexadecimal digits of a SHA-256`);
}

const TRUST = {
  CERTIFICATE: 'this certificate is trusted',
  AUTHORITY: 'trusted through one of its authorities',
} as const;

/** Describes the certificate of a device for comparison with its display. */
function describePresented(presented: PresentedCertificate): string {
  const { subject, issuer, issuers, validFromMs, validUntilMs, fingerprint, alternativeNames } = presented;
  const { trustedAs, isNeeded, problems } = presented;
  return formatFields([
    ['Certificate', subject],
    ['Issuer', issuer === subject ? 'itself' : issuer],
    ...issuers.map((each) => ['Presented issuer', each.subject] as const),
    ['For', alternativeNames.join(', ')],
    ['Valid from', formatTime(validFromMs)],
    ['Valid until', formatTime(validUntilMs)],
    ['SHA-256', groupFingerprint(fingerprint)],
    ...problems.map(({ status, message }) => ['Problem', `${message} (${status})`] as const),
    ['Trust', trustedAs === undefined ? 'not trusted yet' : TRUST[trustedAs]],
    ['Note', isNeeded ? undefined : 'with securityMode NONE the driver verifies no certificate'],
  ]);
}

/** Formats a fingerprint as devices display it, in two halves that fit a terminal. */
function groupFingerprint(fingerprint: string): string {
  const octets = (fingerprint.match(/../g) ?? []).map((octet) => octet.toUpperCase());
  const half = octets.length / 2;
  return `${octets.slice(0, half).join(':')}: ${octets.slice(half).join(':')}`;
}

function formatTime(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : formatLocalTime(epochMs);
}

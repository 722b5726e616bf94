import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import { z } from '../../daemon/base/schema.ts';
import { createReason } from '../../daemon/base/fault-reason.ts';
import { LINK_FAILURES } from './failure-sentences.ts';
import { OpenFault } from './serial-open-failure.ts';

// The kernel shortens longer delays (RS485_MAX_RTS_DELAY in serial_core).
const MAXIMUM_DELAY_MS = 100;

const delayMs = z.int().min(0).max(MAXIMUM_DELAY_MS).default(0);

/** Settings of the RS-485 mode, named after the kernel structure `serial_rs485`. */
export const rs485Schema = z.strictObject({
  enabled: z.boolean().default(true).describe('false disables the RS-485 mode of the line'),
  rtsOnSend: z.boolean().default(true).describe('Level of RTS while sending; inverted while receiving'),
  delayRtsBeforeSendMs: delayMs.describe('Pause between the change of RTS and the first character'),
  delayRtsAfterSendMs: delayMs.describe('Pause between the last character and the change of RTS'),
  rxDuringTx: z.boolean().default(false).describe('Receive while sending, as four wires allow'),
  terminateBus: z.boolean().default(false).describe('Enable the bus termination'),
});

export type Rs485Settings = Readonly<z.infer<typeof rs485Schema>>;

// linux/serial.h, struct serial_rs485; the same on all supported architectures, which are little-endian.
const FLAGS = { enabled: 1, rtsOnSend: 2, rtsAfterSend: 4, rxDuringTx: 16, terminateBus: 32 } as const;
const STRUCTURE_BYTES = 32;

// Perl, because Node.js has no ioctl and every Debian has it; the line is descriptor 3. 542F is TIOCSRS485
// (asm-generic/ioctls.h), after which the structure contains the settings that the driver accepted.
const PERL = '/usr/bin/perl';
const PROGRAM = `
  open(my $line, '+<&=', 3) or die;
  my $settings = pack('H*', $ARGV[0]);
  print ioctl($line, 0x542F, $settings) ? 'ok ' . unpack('H*', $settings) : 'error ' . ($! + 0) . " $!";
`;
const ENOTTY = 25;
const EOPNOTSUPP = 95;

export interface Rs485Options {
  readonly signal: AbortSignal;
  /** Program that runs the ioctl; default: the perl of Debian. */
  readonly perl?: string;
}

/**
 * Enables or disables the RS-485 mode of an open line. The mode persists after the process exits, until it is set
 * again.
 *
 * @param line descriptor of the open line
 * @throws {OpenFault} if the line has no such mode, or its driver did not accept all settings
 */
export async function setRs485(line: number, settings: Rs485Settings, options: Rs485Options): Promise<void> {
  const asked = encodeRs485(settings);
  const answer = await runIoctl(line, asked, options);
  const [outcome, value = '', ...reason] = answer.split(' ');
  if (outcome === 'ok') return checkTaken(settings, Buffer.from(value, 'hex'));
  const isMissing = [ENOTTY, EOPNOTSUPP].includes(Number(value));
  if (isMissing && !settings.enabled) return;
  if (isMissing) {
    throw new OpenFault({
      code: 'SERIAL_NO_RS485',
      reason: createReason(LINK_FAILURES, 'LINE_WITHOUT_RS485', {}),
    });
  }
  throw fail(outcome === 'error' ? `refused by its driver: ${reason.join(' ')}` : 'no response');
}

/** Encodes the structure `serial_rs485`. */
function encodeRs485(settings: Rs485Settings): Buffer {
  const bytes = Buffer.alloc(STRUCTURE_BYTES);
  if (!settings.enabled) return bytes;
  const rts = settings.rtsOnSend ? FLAGS.rtsOnSend : FLAGS.rtsAfterSend;
  const receive = settings.rxDuringTx ? FLAGS.rxDuringTx : 0;
  const terminate = settings.terminateBus ? FLAGS.terminateBus : 0;
  bytes.writeUInt32LE(FLAGS.enabled | rts | receive | terminate, 0);
  bytes.writeUInt32LE(settings.delayRtsBeforeSendMs, 4);
  bytes.writeUInt32LE(settings.delayRtsAfterSendMs, 8);
  return bytes;
}

// A driver drops unsupported settings and reports that only in the structure.
function checkTaken(settings: Rs485Settings, taken: Buffer): void {
  const flags = taken.length < STRUCTURE_BYTES ? 0 : taken.readUInt32LE(0);
  const isEnabled = (flags & FLAGS.enabled) !== 0;
  if (isEnabled !== settings.enabled) throw fail(`enabled is ${isEnabled}`);
  if (!isEnabled) return;
  const inForce: Partial<Rs485Settings> = {
    rtsOnSend: (flags & FLAGS.rtsOnSend) !== 0,
    delayRtsBeforeSendMs: taken.readUInt32LE(4),
    delayRtsAfterSendMs: taken.readUInt32LE(8),
    // Some lines always receive; if that is not wanted, it shows as an echo, which is reported.
    ...(settings.rxDuringTx ? { rxDuringTx: (flags & FLAGS.rxDuringTx) !== 0 } : {}),
    terminateBus: (flags & FLAGS.terminateBus) !== 0,
  };
  const keys = Object.keys(inForce) as (keyof Rs485Settings)[];
  const different = keys.filter((key) => inForce[key] !== settings[key]);
  if (different.length > 0)
    throw fail(different.map((key) => `${key} is ${String(inForce[key])}`).join(', '));
}

function fail(reason: string, cause?: unknown): OpenFault {
  return new OpenFault({
    code: 'SERIAL_RS485_NOT_SET',
    reason: createReason(LINK_FAILURES, 'LINE_RS485_REFUSED', { reason }),
    cause,
  });
}

async function runIoctl(
  line: number,
  structure: Buffer,
  { signal, perl = PERL }: Rs485Options,
): Promise<string> {
  // Not as standard input: the runtime would make the line blocking, here as well.
  const child = spawn(perl, ['-e', PROGRAM, structure.toString('hex')], {
    env: {},
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore', line],
  });
  const ended = Promise.withResolvers<void>();
  child.once('error', ended.reject);
  child.once('close', () => ended.resolve());
  try {
    const [answer] = await Promise.all([child.stdout === null ? '' : text(child.stdout), ended.promise]);
    return answer;
  } catch (error) {
    throw fail('perl, which sets it, did not run', error);
  }
}

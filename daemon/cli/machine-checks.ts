import { X509Certificate } from 'node:crypto';
import { access, constants, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';

import { isPlausibleTime } from '../base/clock-check.ts';
import { measureDisk } from '../base/file/disk-space.ts';
import { readRegularFile } from '../base/file/regular-file.ts';
import { chooseTlsFiles } from '../security/certificate/tls-files.ts';
import { tlsDirectoryOf } from '../settings/gateway-settings.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { loadSettingsFile } from '../settings/settings-file.ts';
import { describeFailure } from './command-error.ts';
import { formatLocalTime } from './terminal/local-time.ts';

/** The result of a check. */
export interface Finding {
  readonly check: string;
  /** A warning may be a mistake but does not prevent operation. */
  readonly state: 'GOOD' | 'WARNING' | 'WRONG' | 'UNKNOWN';
  readonly detail: string;
  /** How to fix it. */
  readonly advice?: string;
}

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
// A full store rejects changes; packages need several times their size.
const MINIMUM_FREE_BYTES = 256 * MIB;
const MINIMUM_DAYS = 30;
const LINE_FOLDER = '/dev/serial/by-id';

/** Checks the static configuration; returns its settings if they are valid. */
export async function checkConfigurationFile(
  file: string,
): Promise<{ readonly findings: readonly Finding[]; readonly settings?: GatewaySettings }> {
  try {
    const { settings } = await loadSettingsFile(file);
    return { findings: [{ check: 'configuration', state: 'GOOD', detail: file }], settings };
  } catch (error) {
    const advice = `fix the file, then: penstockd --check-config --config ${file}`;
    return { findings: [{ check: 'configuration', state: 'WRONG', detail: describeFailure(error), advice }] };
  }
}

/** Checks that the clock is plausible: it decides the validity of certificates and tokens. */
export function checkClock(nowMs: number): Finding {
  const detail = `${formatLocalTime(nowMs)}, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  if (isPlausibleTime(nowMs)) return { check: 'clock', state: 'GOOD', detail };
  return {
    check: 'clock',
    state: 'WRONG',
    detail,
    advice: 'set the clock and enable NTP: timedatectl set-ntp true',
  };
}

/** Checks the free disk space for the state. */
export async function checkDisk(directory: string): Promise<Finding> {
  try {
    const { freeBytes } = await measureDisk(directory);
    const detail = `${Math.floor(freeBytes / MIB)} MiB free in ${directory}`;
    if (freeBytes >= MINIMUM_FREE_BYTES) return { check: 'disk', state: 'GOOD', detail };
    return { check: 'disk', state: 'WRONG', detail, advice: 'free disk space: the store cannot grow' };
  } catch (error) {
    const advice = 'start the gateway once: it creates the directory';
    return { check: 'disk', state: 'WRONG', detail: describeFailure(error), advice };
  }
}

/** Checks the remaining validity of the server certificate. */
export async function checkCertificate(settings: GatewaySettings, nowMs: number): Promise<Finding> {
  const check = 'certificate';
  const { certificateFile } = await chooseTlsFiles(
    settings.tls,
    settings.dataDirectory,
    tlsDirectoryOf(settings),
  );
  try {
    const certificate = new X509Certificate(await readRegularFile(certificateFile));
    const [fromMs, toMs] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
    const days = Math.floor((toMs - nowMs) / DAY_MS);
    if (nowMs < fromMs) {
      const detail = `${certificateFile} is not valid before ${formatLocalTime(fromMs)}`;
      return { check, state: 'WRONG', detail, advice: 'set the clock, or replace certificate and key' };
    }
    const isExpired = nowMs > toMs;
    const detail = isExpired
      ? `${certificateFile} expired on ${formatLocalTime(toMs)}: clients refuse it`
      : `${certificateFile} is valid for ${days} days`;
    if (days >= MINIMUM_DAYS) return { check, state: 'GOOD', detail };
    const advice = 'replace certificate and key; the gateway reloads them automatically';
    return { check, state: 'WRONG', detail, advice };
  } catch (error) {
    const advice = 'run this as root; without a certificate the gateway creates one when it starts';
    return { check, state: 'UNKNOWN', detail: describeFailure(error), advice };
  }
}

/** Checks that the serial adapters can be opened under their persistent names. */
export async function checkSerialLines(folder = LINE_FOLDER): Promise<readonly Finding[]> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch {
    return [{ check: 'serial lines', state: 'GOOD', detail: 'no adapter connected' }];
  }
  return Promise.all(names.map((name) => checkSerialLine(path.join(folder, name))));
}

async function checkSerialLine(line: string): Promise<Finding> {
  const check = 'serial line';
  try {
    const device = await realpath(line);
    await access(device, constants.R_OK | constants.W_OK);
    return { check, state: 'GOOD', detail: `${line} (${device})` };
  } catch (error) {
    const advice = 'add the user of the gateway to the group dialout: usermod -aG dialout penstock';
    return { check, state: 'WRONG', detail: describeFailure(error), advice };
  }
}

import { existsSync } from 'node:fs';
import { uptime } from 'node:os';

import { messageOf } from '../base/errors.ts';
import { readReadiness } from '../interface/health.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { CONFIG_OPTION } from './client/client-options.ts';
import { createCommandGroup } from './client/client-commands.ts';
import { CommandError } from './command-error.ts';
import { checkAssets, checkTemplates } from './doctor/check-assets.ts';
import { checkAuditChain, checkOwnStatus } from './doctor/check-status.ts';
import { checkAuthentication, checkRights } from './doctor/check-authentication.ts';
import { checkBackup } from './doctor/check-backup.ts';
import { checkBundles, dropExplained } from './doctor/check-bundles.ts';
import { checkClockSource, checkDaemonStatus, checkServices } from './doctor/check-services.ts';
import { checkDaemonFiles, checkProvisionNames } from './doctor/check-daemon-files.ts';
import { checkDevices } from './doctor/check-devices.ts';
import { checkFileModes } from './doctor/check-file-modes.ts';
import { checkAuthorities, checkListeners, checkRevocations } from './doctor/check-listeners.ts';
import { checkServerNames, readMachineNames } from './doctor/check-server-names.ts';
import { formatFindings, uniteFindings } from './doctor/findings.ts';
import { findAuthority } from './doctor/private-authority.ts';
import type { PrivateAuthority } from './doctor/private-authority.ts';
import { readServiceStatus } from './doctor/service-status.ts';
import {
  checkCertificate,
  checkClock,
  checkConfigurationFile,
  checkDisk,
  checkSerialLines,
} from './machine-checks.ts';
import type { Finding } from './machine-checks.ts';
import type { RestClient } from './client/rest-client.ts';

// Written by systemd in a container (systemd, Container Interface).
const CONTAINER_FILE = '/run/systemd/container';

/** Checks the machine and the gateway for problems. */
export const doctor = createCommandGroup('doctor', 'find problems and show how to fix them', {
  '': {
    parameters: '',
    summary: 'check the machine and the gateway; show problems and how to fix them',
    text: 'Reads every channel once. The exit status is 1 if a check fails.',
    options: {
      config: CONFIG_OPTION,
    },
    run: async ({ client, options, show }) => {
      const all = await findProblems(client, String(options['config']));
      show(all, formatFindings);
      const wrong = all.filter(({ state }) => state === 'WRONG').length;
      if (wrong > 0) {
        throw new CommandError({ code: 'FINDINGS', detail: `${wrong} of ${all.length} checks failed` });
      }
    },
  },
});

/** Findings about the machine, and what is known for further ones. */
interface Machine {
  readonly findings: readonly Finding[];
  readonly settings: GatewaySettings | undefined;
  readonly known: CheckContext;
}

/** Checks everything: the machine, and the gateway, whose silence is a finding. */
async function findProblems(client: RestClient, file: string): Promise<readonly Finding[]> {
  const { findings, settings, known } = await checkHost(file);
  return uniteFindings([...findings, ...(await checkDaemon(client, settings, known))]);
}

/** Checks the machine and the files of the gateway alone: no finding contains a text of a device or a bundle. */
export async function findMachineProblems(file: string): Promise<readonly Finding[]> {
  return uniteFindings((await checkHost(file)).findings);
}

async function checkHost(file: string): Promise<Machine> {
  const nowMs = Date.now();
  const { findings, settings } = await checkConfigurationFile(file);
  const service = await readServiceStatus();
  const machine = { isContainer: existsSync(CONTAINER_FILE), uptimeSeconds: uptime() };
  const known = { ...(settings === undefined ? { findings: [] } : await findAuthority(settings)), nowMs };
  const all = [
    ...findings,
    checkClock(nowMs),
    checkClockSource(service, machine),
    ...(await checkServices(service, file, nowMs)),
    ...checkBackup(service),
    ...(settings === undefined ? [] : await checkMachine(file, settings, known)),
    ...(await checkSerialLines()),
  ];
  return { findings: all, settings, known };
}

/** Input shared by several checks. */
interface CheckContext {
  readonly authority?: PrivateAuthority;
  /** Findings about the authority itself. */
  readonly findings: readonly Finding[];
  readonly nowMs: number;
}

async function checkMachine(
  configFile: string,
  settings: GatewaySettings,
  { authority, findings, nowMs }: CheckContext,
): Promise<readonly Finding[]> {
  const certificate = await checkCertificate(settings, nowMs);
  const names = await checkServerNames(settings, authority, readMachineNames());
  return [
    await checkDisk(settings.dataDirectory),
    // A certificate for other names is useless, even if valid.
    ...(names.length > 0 && certificate.state === 'GOOD' ? names : [certificate, ...names]),
    ...findings,
    ...(await checkAuthorities(settings, nowMs)),
    ...(await checkRevocations(settings, authority, nowMs)),
    await checkDaemonFiles(configFile, settings.dataDirectory),
    ...(await checkProvisionNames(configFile)),
    ...(await checkFileModes(configFile, settings)),
  ];
}

async function checkDaemon(
  client: RestClient,
  settings: GatewaySettings | undefined,
  known: CheckContext,
): Promise<readonly Finding[]> {
  const findings = await checkGateway(client, settings, known);
  if (settings === undefined) return findings;
  const isRunning = findings.some(({ check, state }) => check === 'gateway' && state === 'GOOD');
  const words = await checkDaemonStatus(settings.dataDirectory, isRunning);
  return [...words, ...(isRunning ? await checkListeners(settings) : []), ...findings];
}

async function checkGateway(
  client: RestClient,
  settings: GatewaySettings | undefined,
  { authority, nowMs }: CheckContext,
): Promise<readonly Finding[]> {
  try {
    await client.call(readReadiness);
  } catch (error) {
    const advice = 'systemctl restart penstock; for the cause: systemctl status penstock';
    return [{ check: 'gateway', state: 'WRONG', detail: messageOf(error), advice }];
  }
  const ready: Finding = { check: 'gateway', state: 'GOOD', detail: 'it responds' };
  try {
    // First: the status of an asset is unknown until its device was read.
    const drivers = await checkDevices(client);
    const bundles = await checkBundles(client);
    return [
      ready,
      ...(await checkAssets(client, drivers)),
      ...(await checkTemplates(client)),
      ...(settings === undefined ? [] : await checkAuthentication(client, { settings, authority, nowMs })),
      ...(await checkRights(client)),
      ...(await checkAuditChain(client)),
      ...dropExplained(await checkOwnStatus(client), bundles),
      ...bundles,
    ];
  } catch (error) {
    const advice = 'run this as root, or provide credentials';
    return [ready, { check: 'assets', state: 'UNKNOWN', detail: messageOf(error), advice }];
  }
}

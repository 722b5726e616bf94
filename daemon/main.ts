import { fstatSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { ErrorCode } from './base/error-codes.ts';
import { isPlausibleTime } from './base/clock-check.ts';
import { systemClock } from './base/clock.ts';
import { readVersion } from './base/version.ts';
import { GatewayError, messageOf } from './base/errors.ts';
import { codeOfFault, describeFault } from './base/file/file-fault.ts';
import { createLogger } from './base/logger.ts';
import type { Logger, LogLevel } from './base/logger.ts';
import { LogBuffer } from './base/log-buffer.ts';
import { StoreError } from './base/store/store.ts';
import { CertificateError } from './security/certificate/certificate-error.ts';
import { chooseTlsFiles, isPresent } from './security/certificate/tls-files.ts';
import { loadTlsMaterial } from './security/certificate/tls-material.ts';
import { checkConfiguration } from './compose/configuration-check.ts';
import { composeGateway } from './compose/gateway.ts';
import type { Gateway } from './compose/gateway.ts';
import { systemHostServices } from './compose/host-services.ts';
import type { Supervision } from './compose/supervision.ts';
import { ConfigurationError } from './configuration/configuration-error.ts';
import { takeInheritedSockets } from './machine/service/inherited-sockets.ts';
import { DaemonStatusWriter } from './base/process/daemon-status-file.ts';
import { requestReload } from './machine/service/request-reload.ts';
import { connectServiceManager } from './machine/service/service-manager.ts';
import type { ServiceManager } from './machine/service/service-manager.ts';
import { HeapGrowth, ownHeap } from './machine/service/heap-growth.ts';
import { MemoryTrimmer, watchOwnProcess } from './machine/service/memory-trimmer.ts';
import { tlsDirectoryOf } from './settings/gateway-settings.ts';
import type { GatewaySettings } from './settings/gateway-settings.ts';
import { loadSettingsFile } from './settings/settings-file.ts';
import { YamlCache } from './settings/yaml-cache.ts';
import { SettingsError } from './settings/settings-error.ts';
import { YamlReader } from './settings/yaml-reader.ts';

const USAGE = `Usage: penstockd [--config FILE] [--check-config | --reload PID | --version | --help]

  --config FILE    static configuration (default /etc/penstock/penstock.yaml)
  --check-config   check the configuration, print every error in it, and exit
  --reload PID     check the configuration, have the running daemon reload it, and
                   exit with the outcome
  --version        print the version and exit
  --help           print this text and exit

Signals: SIGTERM and SIGINT stop the daemon, SIGHUP reloads configuration and certificates.
Exit status: 0 stopped by a signal, 1 failure, 2 usage error, 78 invalid configuration or state.
`;

const CONFIGURATION_ERRORS = [SettingsError, ConfigurationError, CertificateError];
const LASTING_STORE_ERRORS = new Set<ErrorCode>(['STORE_TOO_NEW', 'STORE_DAMAGED']);

const EXIT = { stopped: 0, failed: 1, usage: 2, configuration: 78 } as const;

process.exitCode = await main(process.argv.slice(2));

async function main(parameters: readonly string[]): Promise<number> {
  const options = parseOptions(parameters);
  if (options === undefined) return EXIT.usage;
  if (options.help) return print(USAGE);
  if (options.version) return print(`penstock ${readVersion()}\n`);
  try {
    if (options['check-config']) {
      await checkFiles(options.config);
      return print(`${options.config}: no errors\n`);
    }
    if (options.reload !== undefined) {
      const { dataDirectory } = await checkFiles(options.config);
      await requestReload(options.reload, dataDirectory, (durationMs) => setTimeout(durationMs));
      return print('reloaded\n');
    }
    return await run(options.config);
  } catch (error) {
    process.stderr.write(`penstockd: ${describe(error)}\n`);
    return needsAdministrator(error) ? EXIT.configuration : EXIT.failed;
  }
}

/** Checks all files that a start reads: configuration, provision files and certificates. */
async function checkFiles(file: string): Promise<GatewaySettings> {
  const loaded = await loadSettingsFile(file);
  const { settings } = loaded;
  await checkConfiguration({ loaded, logger: createProcessLogger(), clock: systemClock });
  const files = await chooseTlsFiles(settings.tls, settings.dataDirectory, tlsDirectoryOf(settings));
  // The daemon generates its own certificate at the first start.
  if (!files.isOwnCertificate || (await isPresent(files.certificateFile))) await loadTlsMaterial(files);
  return settings;
}

function describe(error: unknown): string {
  return error instanceof GatewayError ? error.detail : describeFault(error);
}

/** Returns true if an administrator has to fix a file, so that a restart would not help. */
function needsAdministrator(error: unknown): boolean {
  if (error instanceof StoreError) return LASTING_STORE_ERRORS.has(error.code);
  return CONFIGURATION_ERRORS.some((type) => error instanceof type);
}

async function run(file: string): Promise<number> {
  const logger = createProcessLogger();
  // The gateway keeps running if the reader of its log exits.
  process.stdout.on('error', () => undefined);
  const manager = connectServiceManager({
    environment: process.env,
    processId: process.pid,
    monotonicNs: () => process.hrtime.bigint(),
    logger,
  });
  const status = new DaemonStatusWriter(() => systemClock.epochMs());
  try {
    return await serve(file, { logger, manager, status });
  } catch (error) {
    manager.failed(describe(error));
    // Another daemon uses this state; its status must stay.
    const isOther = error instanceof StoreError && error.code === 'STORE_IN_USE';
    if (!isOther) await status.write('FAILED', { reason: describe(error) });
    throw error;
  }
}

interface Reporting {
  readonly logger: ProcessLogger;
  readonly manager: ServiceManager;
  readonly status: DaemonStatusWriter;
}

async function serve(file: string, { logger, manager, status }: Reporting): Promise<number> {
  const stopped = nextSignal(['SIGTERM', 'SIGINT']);
  const { env: environment, pid: processId } = process;
  const inheritedSockets = takeInheritedSockets({ environment, processId });
  const yaml = new YamlReader(openYamlCache(environment['CACHE_DIRECTORY']));
  const runtimeDirectory = environment['RUNTIME_DIRECTORY'];
  const launcherSocket = environment['PENSTOCK_LAUNCHER_SOCKET'];
  // An uncaught error affects one request or device: log it and serve the others.
  process.on('uncaughtException', (error) => logger.error('exception.uncaught', { error }));
  const gateway = await openGateway(
    { file, yaml, logger, status },
    { manager, inheritedSockets, runtimeDirectory, launcherSocket },
  );
  let reloading = Promise.resolve();
  process.on('SIGHUP', () => {
    reloading = reloading.then(reload);
  });
  try {
    await gateway.start(stopped.signal);
  } catch (error) {
    if (stopped.signal.aborted) return EXIT.stopped;
    throw error;
  }
  await status.write('SERVING');
  logger.info('ready', { version: readVersion(), ...gateway.openPorts() });
  manager.ready(describePorts());
  // Otherwise written only at an orderly exit, and gateways lose power.
  flushCompileCache();
  const own = watchOwnProcess();
  const memory = own === undefined ? undefined : new MemoryTrimmer(systemClock, own);
  memory?.start();
  const growth = new HeapGrowth(systemClock, ownHeap);
  growth.start();
  const name = await stopped.received;
  memory?.stop();
  growth.stop();
  manager.stopping();
  logger.info('stopping', { signal: name });
  await gateway.stop();
  logger.info('stopped');
  await status.write('STOPPED');
  return EXIT.stopped;

  async function reload(): Promise<void> {
    manager.reloading();
    let outcome = '';
    try {
      const reloaded = await loadSettingsFile(file, yaml);
      await gateway.reload(reloaded);
      logger.setLevel(reloaded.settings.log.level);
      await status.write('RELOADED');
      logger.info('reloaded', gateway.openPorts());
    } catch (error) {
      const reason = describe(error);
      logger.error('reload.failed', { reason, consequence: 'the previous configuration stays active' });
      outcome = `; not reloaded: ${reason}`;
      const reasons = error instanceof GatewayError ? error.reasons : undefined;
      await status.write('RELOAD_FAILED', { reason, code: codeOfFault(error), reasons });
    }
    manager.ready(`${describePorts()}${outcome}`);
  }

  function describePorts(): string {
    const ports = Object.values(gateway.openPorts()).flat();
    return `Serving on ports ${ports.join(', ')}`;
  }
}

/** Opens the cache of parsed files; undefined without a cache directory of the service. */
function openYamlCache(cacheDirectory: string | undefined): YamlCache | undefined {
  // The service manager separates several by colons (systemd.exec(5)).
  const [directory = ''] = cacheDirectory?.split(':') ?? [];
  return path.isAbsolute(directory) ? new YamlCache(path.join(directory, 'settings')) : undefined;
}

// A separate function: no closure may keep the text of the files in memory.
async function openGateway(
  {
    file,
    yaml,
    logger,
    status,
  }: Pick<Reporting, 'logger' | 'status'> & { readonly file: string; readonly yaml: YamlReader },
  supervision: Supervision,
): Promise<Gateway> {
  const loaded = await loadSettingsFile(file, yaml);
  logger.setLevel(loaded.settings.log.level);
  status.dataDirectory = loaded.settings.dataDirectory;
  warnOfClock(logger);
  const { buffer: logBuffer } = logger;
  return composeGateway({ loaded, logger, logBuffer, hostServices: systemHostServices, yaml, supervision });
}

function warnOfClock(logger: Logger): void {
  const nowMs = systemClock.epochMs();
  if (isPlausibleTime(nowMs)) return;
  const consequence = 'certificates and tokens are verified with a wrong clock';
  logger.warn('clock.notSet', { time: new Date(nowMs).toISOString(), consequence });
}

interface ProcessLogger extends Logger {
  readonly buffer: LogBuffer;
  setLevel(level: LogLevel): void;
}

function createProcessLogger(): ProcessLogger {
  let level: LogLevel = 'error';
  const buffer = new LogBuffer();
  const logger = createLogger({
    level: () => level,
    write(line) {
      buffer.write(line);
      process.stdout.write(line);
    },
    epochMs: () => systemClock.epochMs(),
    journalPriorities: isJournal(process.stdout.fd),
  });
  return {
    ...logger,
    buffer,
    setLevel(wanted) {
      level = wanted;
    },
  };
}

function parseOptions(parameters: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        config: { type: 'string', default: '/etc/penstock/penstock.yaml' },
        'check-config': { type: 'boolean', default: false },
        reload: { type: 'string' },
        version: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const { reload } = values;
    if (reload !== undefined && !/^[1-9]\d{0,9}$/.test(reload)) {
      throw new RangeError(`--reload ${reload}: expected a process id`);
    }
    return { ...values, reload: reload === undefined ? undefined : Number(reload) };
  } catch (error) {
    process.stderr.write(`penstockd: ${messageOf(error)}\n\n${USAGE}`);
    return undefined;
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT.stopped;
}

/** Returns true if the descriptor is connected to the journal (systemd.exec(5), JOURNAL_STREAM). */
function isJournal(descriptor: number): boolean {
  const { dev, ino } = fstatSync(descriptor);
  return process.env['JOURNAL_STREAM'] === `${dev}:${ino}`;
}

function nextSignal(names: readonly NodeJS.Signals[]): {
  readonly signal: AbortSignal;
  readonly received: Promise<NodeJS.Signals>;
} {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const name of names) {
    process.on(name, () => {
      resolve(name);
      controller.abort(new Error(`stopped by ${name}`));
    });
  }
  return { signal: controller.signal, received: promise };
}

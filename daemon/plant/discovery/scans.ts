import { createReason, explain, placeFault, quoteError, quoteText } from '../../base/fault-reason.ts';
import type { AssetRegistry, ConfiguredConnection } from '../asset/asset-registry.ts';
import type { Clock } from '../../base/clock.ts';
import { DocumentError } from '../../base/document-error.ts';
import { Conflict, InvalidRequest, toReasons } from '../../base/errors.ts';
import { createHintingCheck } from '../../base/key/key-hint.ts';
import type { Logger } from '../../base/logger.ts';
import { createNote } from '../../channel/discovery.ts';
import type { Scanning, Settings } from '../../channel/discovery.ts';
import { isAdvising } from '../../channel/advising-driver.ts';
import { ConnectionError } from '../../channel/driver-errors.ts';
import type { Discovery, DriverFactory } from '../../channel/driver.ts';
import { findDeviceUser } from './device-user.ts';
import { SCAN_SENTENCES } from './scan-sentences.ts';
import { toAssets } from './scan.ts';
import type { DescribedTemplates, FoundConnection, ScanResult } from './scan.ts';

interface ScansOptions {
  readonly registry: AssetRegistry;
  readonly factories: () => readonly DriverFactory[];
  /** Lists the subjects of templates. */
  readonly listDescribed: () => Promise<DescribedTemplates>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Scan request. */
export interface ScanRequest {
  /** Options of the driver type. */
  readonly options: Settings;
  /** Time after which the scan ends with the findings so far. */
  readonly limitSeconds: number;
}

/** A prepared scan. */
export interface PreparedScan {
  /** Target for display: pid of the driver with the connection, otherwise the location of the device. */
  readonly target: string;
  /**
   * Scans to the end, or until the signal.
   *
   * @throws {Conflict} `SCAN_RUNNING` when another scan started first
   * @throws {ConnectionError} when the device cannot be reached
   */
  run(scanning: Scanning): Promise<ScanResult>;
}

/** A driver type that can scan for devices. */
interface ScannedKind {
  readonly factory: DriverFactory;
  readonly discovery: Discovery;
}

// The default call deadline of drivers.
const CALL_DEADLINE_MS = 10_000;

/** Scans for devices, one scan at a time for each connection or device. */
export class Scans {
  readonly #options: ScansOptions;
  readonly #running = new Set<string>();

  constructor(options: ScansOptions) {
    this.#options = options;
  }

  /**
   * Prepares a scan over a configured connection; reads of its assets continue.
   *
   * @throws {NotFound} `DRIVER_UNKNOWN`
   * @throws {InvalidRequest} `SCAN_UNSUPPORTED`, or a {DocumentError} for invalid options
   * @throws {Conflict} `SCAN_RUNNING`
   */
  prepareConfigured(pid: string, request: ScanRequest): PreparedScan {
    const configured = this.#options.registry.getConfigured(pid);
    const { discovery } = this.#getKind(configured.config.type);
    const options = checkAt(discovery.optionsSchema, request.options, 'options');
    return this.#overConfigured(configured, options, request);
  }

  /**
   * Prepares a scan of any device; over its connection if it is configured.
   *
   * @param settings known settings of a driver
   * @throws as `prepareConfigured` does
   * @throws {Conflict} `DEVICE_IN_USE` if a driver of another type uses the line
   */
  async prepare(type: string, settings: Settings, request: ScanRequest): Promise<PreparedScan> {
    const kind = this.#getKind(type);
    const options = checkAt(kind.discovery.optionsSchema, request.options, 'options');
    const filled = kind.discovery.fillSettings?.(settings) ?? settings;
    const checked = checkAt(kind.factory.configSchema, filled, 'settings');
    const { device, user } = await findDeviceUser(this.#options.registry, kind.factory, checked);
    if (user !== undefined) return this.#overConfigured(user, options, request);
    const target = kind.factory.describe(checked);
    const place = { key: `${type} ${device?.name ?? target}`, target };
    return this.#prepare(place, request, (scanning) =>
      this.#scanApart(kind, { settings, options }, scanning),
    );
  }

  #getKind(type: string): ScannedKind {
    const factory = this.#options.factories().find((each) => each.type === type);
    const discovery = factory?.discovery;
    if (factory !== undefined && discovery !== undefined) return { factory, discovery };
    const known = this.#options.factories().filter((each) => each.discovery !== undefined);
    const names = known.map((each) => each.type).join(', ');
    const detail = `driver type "${type}" cannot scan for devices; expected one of ${names}`;
    throw new InvalidRequest({ code: 'SCAN_UNSUPPORTED', detail });
  }

  #overConfigured(
    { config, connection }: ConfiguredConnection,
    options: unknown,
    request: ScanRequest,
  ): PreparedScan {
    const { pid, type } = config;
    return this.#prepare({ key: `driver ${pid}`, target: pid }, request, async (scanning) => ({
      connection: { pid, type },
      proposal: await connection.scan(options, scanning),
    }));
  }

  #prepare(
    { key, target }: { readonly key: string; readonly target: string },
    request: ScanRequest,
    scan: (scanning: Scanning) => Promise<Found>,
  ): PreparedScan {
    this.#checkFree(key);
    return {
      target,
      run: async (scanning) => {
        this.#checkFree(key);
        this.#running.add(key);
        try {
          return await this.#runLimited(request, scanning, scan);
        } finally {
          this.#running.delete(key);
        }
      },
    };
  }

  async #runLimited(
    { limitSeconds }: ScanRequest,
    { signal, report }: Scanning,
    scan: (scanning: Scanning) => Promise<Found>,
  ): Promise<ScanResult> {
    const { clock, listDescribed } = this.#options;
    const limit = new AbortController();
    const cancel = clock.schedule(limitSeconds * 1000, () => limit.abort());
    const ending = AbortSignal.any([signal, limit.signal]);
    try {
      const { connection, proposal } = await scan({ signal: ending, report });
      const assets = proposal === undefined ? [] : toAssets(proposal, await listDescribed());
      const isComplete = !ending.aborted;
      const details = proposal?.notes ?? [];
      return { isComplete, connection, assets, notes: details.map(({ message }) => message), details };
    } finally {
      cancel();
    }
  }

  async #scanApart(
    { factory, discovery }: ScannedKind,
    { settings: given, options }: { readonly settings: Settings; readonly options: unknown },
    scanning: Scanning,
  ): Promise<Found> {
    const { registry, logger } = this.#options;
    const { type } = factory;
    const context = registry.createContext(type, logger.child({ driver: 'scan' }), () => undefined);
    let isThere = false;
    const report: Scanning['report'] = (event) => {
      isThere ||= event.type === 'found';
      scanning.report(event);
    };
    const search = { ...scanning, report, options, context };
    if (discovery.search !== undefined) {
      const { settings: own, proposal } = await discovery.search(given, search);
      return own === undefined ? { proposal } : { connection: { type, settings: own }, proposal };
    }
    const settings =
      discovery.findSettings === undefined ? given : await discovery.findSettings(given, search);
    if (settings === undefined) return {};
    const { connection } = registry.createApart({
      pid: 'scan',
      type,
      callDeadlineMs: CALL_DEADLINE_MS,
      settings: checkAt(factory.configSchema, settings, 'settings'),
    });
    try {
      const proposal = await connection.scan(options, scanning);
      // What the user set stays.
      return { connection: { type, settings: { ...proposal.settings, ...settings } }, proposal };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (!isThere) throw addAdvice(error, connection);
      // A device that does not accept the gateway yet is a result, with its settings.
      const { code, detail: message, reasons = [quoteError({ code, message })] } = error;
      const stopped = createReason(SCAN_SENTENCES, 'SCAN_STOPPED_EARLY', {});
      // A list in a message is several sentences in its reasons.
      const note = {
        ...createNote(stopped, ...reasons),
        message: createNote(stopped, quoteText(message)).message,
      };
      return {
        connection: { type, settings, isRefusing: true },
        proposal: { assets: [], notes: [note] },
      };
    } finally {
      await connection.close();
    }
  }

  #checkFree(key: string): void {
    if (!this.#running.has(key)) return;
    const detail = `a scan of ${key} is already in progress`;
    throw new Conflict({ code: 'SCAN_RUNNING', detail });
  }
}

interface Found {
  readonly connection?: FoundConnection;
  readonly proposal?: Awaited<ReturnType<ConfiguredConnection['connection']['scan']>>;
}

function checkAt<T>(schema: Discovery<T>['optionsSchema'], value: unknown, place: string): T {
  const checked = createHintingCheck(schema)(value);
  if (checked.faults === undefined) return checked.value;
  throw new DocumentError(checked.faults.map((fault) => placeFault([place], fault)));
}

/** Adds to a failure to connect what the driver advises, such as another transport. */
function addAdvice(error: ConnectionError, connection: ConfiguredConnection['connection']): ConnectionError {
  const advice = connection.find(isAdvising)?.listAdvice() ?? [];
  if (advice.length === 0) return error;
  const { code, cause } = error;
  const { detail } = explain(quoteText(error.detail), ...advice.map(quoteText));
  return new ConnectionError({
    code,
    detail,
    reasons: [...toReasons(error), ...advice.map(quoteText)],
    cause,
  });
}

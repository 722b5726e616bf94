import { placeFault } from '../../base/fault-reason.ts';
import type { AssetRegistry, ConfiguredConnection } from '../asset/asset-registry.ts';
import type { Asset } from '../asset/asset.ts';
import { checkChannels } from '../asset/check-channels.ts';
import { finish } from '../../base/slices.ts';
import type { Findings } from '../asset/check-channels.ts';
import { decodeChannel } from '../asset/decode/decode-channel.ts';
import type { Decoding } from '../asset/decode/decode-channel.ts';
import { DocumentError } from '../../base/document-error.ts';
import { InvalidRequest } from '../../base/errors.ts';
import { createHintingCheck } from '../../base/key/key-hint.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import { createChannelSchema } from '../../channel/channel.ts';
import type { Channel } from '../../channel/channel.ts';
import type { Settings } from '../../channel/discovery.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import { findDeviceUser } from './device-user.ts';

/** Channels to read once. */
export interface TrialRequest {
  /** Channels as in the configuration of an asset. */
  readonly channels: readonly unknown[];
  /** True: also lists the interpretations of the bytes of each channel. */
  readonly interpret: boolean;
}

/** Interpretations of the bytes of a channel, or why there are none. */
export interface TrialDecoding {
  readonly name: string;
  readonly outcome: Awaited<ReturnType<typeof decodeChannel>>;
}

/** Records of a trial, in the order of its readable channels. */
export interface TrialReading {
  readonly records: readonly ChannelRecord[];
  /** Absent unless requested. */
  readonly decodings?: readonly TrialDecoding[] | undefined;
}

interface TrialReadsOptions {
  readonly registry: AssetRegistry;
  readonly factories: () => readonly DriverFactory[];
}

// The default call deadline of drivers.
const CALL_DEADLINE_MS = 10_000;
// A person chooses from them; `_decode` has more.
const MAXIMUM_CANDIDATES = 16;

/** Reads channels that are not configured, so that their values can be seen before. It never writes. */
export class TrialReads {
  readonly #options: TrialReadsOptions;

  constructor(options: TrialReadsOptions) {
    this.#options = options;
  }

  /**
   * Reads channels once over a configured connection; reads of its assets continue.
   *
   * @throws {NotFound} `DRIVER_UNKNOWN`
   * @throws {DocumentError} for invalid channels
   */
  async readConfigured(pid: string, request: TrialRequest): Promise<TrialReading> {
    const configured = this.#options.registry.getConfigured(pid);
    return this.#read(configured, this.#check(configured.config.type, request), request);
  }

  /**
   * Reads channels once from any device; over its connection if it is configured.
   *
   * @param settings settings of a driver
   * @throws {DocumentError} for invalid settings or channels
   * @throws {Conflict} `DEVICE_IN_USE` if a driver of another type uses the line
   */
  async read(type: string, settings: Settings, request: TrialRequest): Promise<TrialReading> {
    const { registry } = this.#options;
    const factory = this.#getFactory(type);
    const checked = createHintingCheck(factory.configSchema)(settings);
    if (checked.faults !== undefined)
      throw new DocumentError(checked.faults.map((fault) => placeFault(['settings'], fault)));
    const channels = this.#check(type, request);
    const { user } = await findDeviceUser(registry, factory, checked.value);
    if (user !== undefined) return this.#read(user, channels, request);
    const config = { pid: 'trial', type, callDeadlineMs: CALL_DEADLINE_MS, settings: checked.value };
    const apart = registry.createApart(config);
    try {
      return await this.#read(apart, channels, request);
    } finally {
      await apart.connection.close();
    }
  }

  #getFactory(type: string): DriverFactory {
    const factories = this.#options.factories();
    const factory = factories.find((each) => each.type === type);
    if (factory !== undefined) return factory;
    const detail = `"${type}" is not a driver type; expected one of ${factories.map((each) => each.type).join(', ')}`;
    throw new InvalidRequest({ code: 'CONFIGURATION_INVALID', detail });
  }

  #check(type: string, { channels }: TrialRequest): readonly Channel[] {
    const factory = this.#getFactory(type);
    const kind = { factory, checkChannel: createHintingCheck(createChannelSchema(factory.addressSchema)) };
    const findings: Findings = { faults: [] };
    const checked = finish(checkChannels(findings, kind, channels, []));
    if (findings.faults.length > 0) throw new DocumentError(findings.faults);
    return checked;
  }

  async #read(
    connection: ConfiguredConnection,
    channels: readonly Channel[],
    { interpret }: TrialRequest,
  ): Promise<TrialReading> {
    const asset = this.#options.registry.createAssetApart(connection, channels);
    const { records } = await asset.readAll();
    return interpret ? { records, decodings: await decodeAll(asset) } : { records };
  }
}

/** One after the other: the device serves others as well. */
async function decodeAll(asset: Asset): Promise<readonly TrialDecoding[]> {
  const decodings: TrialDecoding[] = [];
  for (const name of asset.sampledNames) {
    const outcome = await decodeChannel(asset, name);
    decodings.push({ name, outcome: 'failure' in outcome ? outcome : shorten(outcome) });
  }
  return decodings;
}

/** Keeps the most likely interpretations, and the requested one. */
function shorten(decoding: Decoding): Decoding {
  const own = decoding.candidates.find(({ isConfigured }) => isConfigured);
  const others = decoding.candidates.filter((candidate) => candidate !== own);
  const kept = own === undefined ? others : [own, ...others];
  return { ...decoding, candidates: kept.slice(0, MAXIMUM_CANDIDATES) };
}

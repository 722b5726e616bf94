import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import { isAdvising } from '../../../channel/advising-driver.ts';
import { isReadable } from '../../../channel/channel.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { createReason } from '../../../base/fault-reason.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import { ConnectionError, toChannelFailure } from '../../../channel/driver-errors.ts';
import type { DriverFactory } from '../../../channel/driver.ts';
import type { ChannelValue, ValueType } from '../../../channel/value-type.ts';
import type { TestOutcome } from '../../../interface/plant/drivers.ts';
import type { Asset } from '../asset.ts';
import type { ConfiguredConnection } from '../asset-registry.ts';

/** Result of a connection test. */
export interface ConnectionTest {
  /** `CONNECTED`: the link is open; nothing to read. */
  readonly outcome: TestOutcome;
  readonly durationMs: number;
  /** Description of the request; absent if none was sent. */
  readonly asked?: FaultReason | undefined;
  /** Absent without a value. */
  readonly value?: { readonly valueType: ValueType; readonly value: ChannelValue } | undefined;
  /** Channel that was read; absent: no channel of an asset. */
  readonly channel?: { readonly asset: Asset; readonly name: string } | undefined;
  /** Reason for the missing value; a device that refuses has responded. */
  readonly failure?: ChannelFailure | undefined;
  /** Advice on settings that the device needs. */
  readonly advice: readonly string[];
}

interface TestParts {
  /** Assets that the connection serves. */
  readonly assets: readonly Asset[];
  readonly factory: DriverFactory | undefined;
  readonly clock: Clock;
}

// A device may accept a connection seconds before it responds.
const WARM_UP_PAUSE_MS = 500;

type Answer = Pick<ConnectionTest, 'asked' | 'channel' | 'value' | 'failure'>;

/**
 * Connects immediately, without the pause after a failure, and reads once, or until a device that was just connected responds: the first readable channel of its assets,
 * otherwise the value that most devices of the driver type have.
 *
 * @throws {Unavailable} `ASSET_OVERLOADED`
 */
export async function testConnection(
  { connection }: ConfiguredConnection,
  { assets, factory, clock }: TestParts,
): Promise<ConnectionTest> {
  const startedMs = clock.monotonicMs();
  const driver = connection.find(isAdvising);
  let answer = await connectAndAsk();
  const isWorthAsking = (): boolean => outcomeOf(answer) === 'FAILED' && driver?.isWarmingUp === true;
  while (isWorthAsking()) {
    await delay(clock, WARM_UP_PAUSE_MS, connection.closing);
    answer = await ask();
  }
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  return { ...answer, outcome: outcomeOf(answer), durationMs, advice: driver?.listAdvice() ?? [] };

  async function connectAndAsk(): Promise<Answer> {
    try {
      await connection.connectNow();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return { failure: toChannelFailure(error) };
    }
    return ask();
  }

  async function ask(): Promise<Answer> {
    const found = findChannel(assets);
    return found === undefined ? askProbe(connection, factory) : askChannel(found);
  }
}

function outcomeOf({ asked, value, failure }: Answer): ConnectionTest['outcome'] {
  const isAnswer = failure?.status !== undefined || failure?.code === 'VALUE_NOT_AVAILABLE';
  if (value !== undefined || isAnswer) return 'ANSWERED';
  return failure === undefined && asked === undefined ? 'CONNECTED' : 'FAILED';
}

interface Found {
  readonly asset: Asset;
  readonly channel: Channel;
}

function findChannel(assets: readonly Asset[]): Found | undefined {
  for (const asset of assets) {
    const channel = asset.config.channels.find((each) => each.isEnabled && isReadable(each));
    if (channel !== undefined) return { asset, channel };
  }
  return undefined;
}

async function askChannel({ asset, channel }: Found): Promise<Answer> {
  const values = { channel: channel.name, asset: asset.config.pid };
  const asked = createReason(PLANT_FAILURES, 'TEST_CHANNEL', values);
  const [record] = (await asset.read([channel.name])).records;
  if (record === undefined) return { asked };
  if (record.failure !== undefined) return { asked, failure: record.failure };
  const value = { valueType: channel.valueType, value: record.value };
  return { asked, channel: { asset, name: channel.name }, value };
}

async function askProbe(
  connection: ConfiguredConnection['connection'],
  factory: DriverFactory | undefined,
): Promise<Answer> {
  const probe = factory?.probe;
  if (probe === undefined) return {};
  const { description: asked, valueType, address } = probe;
  const channel: Channel = {
    name: 'probe',
    type: 'READ',
    valueType,
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
    address,
  };
  try {
    const [reading] = await connection.read(connection.prepareRead([channel]));
    if (reading === undefined) return { asked };
    if (reading.failure !== undefined) return { asked, failure: reading.failure };
    return { asked, value: { valueType, value: reading.value } };
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { asked, failure: toChannelFailure(error) };
  }
}

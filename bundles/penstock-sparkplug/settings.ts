import { isDeepStrictEqual } from 'node:util';

import { readBrokerSettings } from '../mqtt/settings/broker-settings.ts';
import type { BrokerSettings } from '../mqtt/settings/broker-settings.ts';
import { createSettingsReader, readRecorders, SettingsError } from '../mqtt/settings/settings-reader.ts';
import type { DeclaredSettings } from '../mqtt/settings/settings-reader.ts';
import type { DataSetUse, MetricForms } from './node/node-definition.ts';
import { findIdFault } from './node/topics.ts';
import type { EdgeNodeName } from './node/topics.ts';
import { isArrayType } from './payload/array-value.ts';
import { DATA_TYPE } from './payload/data-type.ts';
import type { DataType } from './payload/data-type.ts';

/** Settings of `settings.schema.json`, checked beyond it. Each change needs a new connection, which begins with a birth. */
export interface SparkplugSettings {
  readonly broker: BrokerSettings;
  readonly name: EdgeNodeName;
  /** Identifier of the primary host application; undefined: none is waited for. */
  readonly primaryHost?: string | undefined;
  /** Time without a STATE message after which the next broker is tried, if there are several. */
  readonly hostWaitMs: number;
  /** What arrived so long before a loss of the primary host is sent again. */
  readonly replayMs: number;
  /** At least one, each once. */
  readonly recorders: readonly string[];
  readonly metricsPerMessage: number;
  readonly bytesPerMessage: number;
  readonly messagesPerSecond: number;
  readonly backlogMessagesPerSecond: number;
  readonly commandMaximumAgeMs: number;
  readonly forms: MetricForms;
}

/**
 * Checks settings for what the schema cannot express.
 *
 * @param gateway name of the gateway, which is the default identifier of the edge node
 * @throws {SettingsError} for a wrong broker, certificate or recorder, and an identifier that cannot be part of a topic
 */
export function readSettings(declared: DeclaredSettings, gateway: string): SparkplugSettings {
  const read = createSettingsReader(declared);
  const idOf = (setting: string, standard: string): string => {
    const id = read.text(setting) ?? standard;
    const fault = findIdFault(id);
    if (fault !== undefined) throw new SettingsError(`${setting}: ${fault}`);
    return id;
  };
  const name = { groupId: idOf('groupId', 'Penstock'), edgeNodeId: idOf('edgeNodeId', gateway) };
  const hostId = read.text('primaryHost');
  return {
    broker: readBrokerSettings(read, `penstock-sparkplug-${gateway}`),
    name,
    primaryHost: hostId === undefined ? undefined : idOf('primaryHost', hostId),
    hostWaitMs: read.number('hostWaitSeconds') * 1000,
    replayMs: hostId === undefined ? 0 : read.number('replaySeconds') * 1000,
    recorders: readRecorders(read),
    metricsPerMessage: read.number('metricsPerMessage'),
    bytesPerMessage: read.number('bytesPerMessage'),
    messagesPerSecond: read.number('messagesPerSecond'),
    backlogMessagesPerSecond: read.number('backlogMessagesPerSecond'),
    commandMaximumAgeMs: read.number('commandMaximumAgeSeconds') * 1000,
    forms: { arrays: readArrays(read.texts('arrays')), dataSets: readDataSets(read.texts('dataSets')) },
  };
}

function readArrays(texts: readonly string[]): ReadonlyMap<string, DataType> {
  return new Map(
    texts.map((text) => {
      const [, place, name = ''] = /^([^/=]+\/[^/=]+)=(\w+)$/.exec(text) ?? [];
      const type = Object.entries(DATA_TYPE).find(([each]) => each === name)?.[1];
      if (place === undefined || type === undefined || !isArrayType(type)) {
        throw new SettingsError(
          `arrays: expected ASSET/CHANNEL=TYPE such as boiler/curve=FloatArray, not "${text}"`,
        );
      }
      return [place, type];
    }),
  );
}

function readDataSets(texts: readonly string[]): ReadonlyMap<string, DataSetUse> {
  const uses = new Map<string, DataSetUse>();
  for (const text of texts) {
    const [, asset, only] = /^([^/=]+)(=only)?$/.exec(text) ?? [];
    if (asset === undefined) {
      throw new SettingsError(`dataSets: expected ASSET, ASSET=only, * or *=only, not "${text}"`);
    }
    if (uses.has(asset)) throw new SettingsError(`dataSets: "${asset}" is named twice`);
    uses.set(asset, only === undefined ? 'ADDED' : 'ONLY');
  }
  return uses;
}

/** True if both are the same. */
export function isSame(one: SparkplugSettings, other: SparkplugSettings): boolean {
  return isDeepStrictEqual(one, other);
}

import { DATA_TYPE, QUALITY } from '../payload/data-type.ts';
import type { DataSetRow, Metric, MetricProperty, MetricValue, Quality } from '../payload/data-type.ts';
import { encodePayload } from '../payload/payload-writer.ts';
import { listBorn } from './node-definition.ts';
import type { DefinedMetric, NodeDefinition } from './node-definition.ts';
import { topicOf } from './topics.ts';
import type { EdgeNodeName, Verb } from './topics.ts';

/** Message to be written at once, in this order: its sequence number is taken. */
export interface NodeMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly verb: Verb;
}

/** Value of a metric at a time. */
export interface NodeSample {
  readonly metric: DefinedMetric;
  /** Undefined: null. */
  readonly value: MetricValue | DataSetRow | undefined;
  readonly quality: Quality;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
}

/** Current value of a metric. */
export type CurrentValue = Omit<NodeSample, 'metric'>;

/** Finds the current value; undefined: there was none yet. */
export type FindCurrent = (metric: DefinedMetric) => CurrentValue | undefined;

export interface NodeSessionOptions {
  readonly name: EdgeNodeName;
  /** Number of the connection, 0 to 255, as in its will. */
  readonly bdSeq: number;
  /** Metrics of the node itself, which do not change. */
  readonly properties: Readonly<Record<string, string>>;
  /** Returns the alias of a metric of the node itself. */
  readonly aliasOf: (name: string) => number;
  /** True if the broker takes a message of this size. Default: it takes all. */
  readonly fits?: (topic: string, payload: Uint8Array) => boolean;
  /** Called with a message that does not fit: it is not made, and takes no sequence number. */
  readonly onTooLarge?: (verb: Verb, topic: string) => void;
}

/** Name of the metric that requests a rebirth. */
export const REBIRTH_METRIC = 'Node Control/Rebirth';

/**
 * Returns the death of an edge node: the will of a connection, and the last message of one that ends on purpose.
 *
 * @param nowMs milliseconds since the epoch
 */
export function makeNodeDeath(name: EdgeNodeName, bdSeq: number, nowMs: number): NodeMessage {
  const metrics = [makeBdSeq(bdSeq, nowMs)];
  return {
    topic: topicOf(name, 'NDEATH'),
    payload: encodePayload({ timestampMs: nowMs, metrics }),
    verb: 'NDEATH',
  };
}

/**
 * Births, deaths and sequence numbers of an edge node on one connection.
 *
 * Pure: each method returns messages that have their sequence numbers, and that the caller writes at once. Nothing is returned that
 * must not be sent at that moment: no data of a device that is not born, and nothing before the birth of the node. A message that the
 * broker would refuse is not made: a sequence number that is missing would have hosts request births without end.
 */
export class NodeSession {
  readonly #options: NodeSessionOptions;
  #definition: NodeDefinition = new Map();
  readonly #born = new Set<string>();
  #isBorn = false;
  #seq = 0;
  /** Quality of the last value of each metric that was not good, by alias. */
  readonly #qualities = new Map<number, Quality>();

  constructor(options: NodeSessionOptions) {
    this.#options = options;
  }

  /** True after the birth of the node. */
  get isBorn(): boolean {
    return this.#isBorn;
  }

  get definition(): NodeDefinition {
    return this.#definition;
  }

  /** True while a device is born and not dead. */
  isAlive(device: string): boolean {
    return this.#born.has(device);
  }

  /**
   * Makes a complete birth: NBIRTH with sequence number 0, then DBIRTH for each device. Devices that are no longer there die before.
   *
   * @param nowMs milliseconds since the epoch
   */
  birth(definition: NodeDefinition, findCurrent: FindCurrent, nowMs: number): readonly NodeMessage[] {
    const gone = [...this.#born].filter((device) => !definition.has(device));
    const deaths = gone.flatMap((device) => this.#makeDeviceDeath(device, nowMs));
    this.#definition = definition;
    this.#seq = 0;
    this.#isBorn = true;
    this.#born.clear();
    this.#qualities.clear();
    const node = this.#make('NBIRTH', undefined, this.#listNodeMetrics(nowMs), nowMs);
    this.#isBorn = node.length > 0;
    const devices = [...definition.keys()].flatMap((device) => this.deviceBirth(device, findCurrent, nowMs));
    return [...deaths, ...node, ...devices];
  }

  /** Makes the birth of a device that is not alive; nothing for any other. Texts, bytes and rows are left out if it is too large with them. */
  deviceBirth(device: string, findCurrent: FindCurrent, nowMs: number): readonly NodeMessage[] {
    const defined = this.#definition.get(device);
    if (!this.#isBorn || defined === undefined || this.#born.has(device)) return [];
    const metrics = listBorn(defined).map((metric) => {
      const current = findCurrent(metric) ?? { value: undefined, quality: QUALITY.STALE, timestampMs: nowMs };
      this.#keepQuality(metric.alias, current.quality);
      const { channel: name, alias, type } = metric;
      const { value, timestampMs, quality } = current;
      return { name, alias, timestampMs, type, value, properties: listProperties(metric, quality) };
    });
    // In order of time (tck-id-operational-behavior-data-publish-dbirth-order).
    metrics.sort((one, other) => one.timestampMs - other.timestampMs);
    const birth =
      this.#compose('DBIRTH', device, metrics, nowMs) ??
      this.#compose('DBIRTH', device, metrics.map(withoutText), nowMs);
    if (birth !== undefined) this.#born.add(device);
    return this.#number(birth, 'DBIRTH', device);
  }

  /** Makes the death of a device that is alive; nothing for any other. */
  deviceDeath(device: string, nowMs: number): readonly NodeMessage[] {
    return this.#born.has(device) ? this.#makeDeviceDeath(device, nowMs) : [];
  }

  /**
   * Makes a message with samples of one device; nothing if it is not alive. Samples of metrics that it no longer has are left out,
   * and those that are columns of its data set alone.
   *
   * @param samples in the order in which they were taken
   */
  data(
    device: string,
    samples: readonly NodeSample[],
    isHistorical: boolean,
    nowMs: number,
  ): readonly NodeMessage[] {
    const defined = this.#definition.get(device);
    if (defined === undefined || !this.#born.has(device)) return [];
    const known = samples.filter(
      ({ metric: { channel, alias, isBorn } }) => isBorn && defined.metrics.get(channel)?.alias === alias,
    );
    if (known.length === 0) return [];
    const metrics = known.map((sample) => {
      const { alias } = sample.metric;
      // A host keeps the quality until another one comes.
      const isNamed = sample.quality !== QUALITY.GOOD || this.#qualities.has(alias);
      this.#keepQuality(alias, sample.quality);
      const { metric, value, timestampMs } = sample;
      const properties = isNamed ? [toQuality(sample.quality)] : undefined;
      return { alias, timestampMs, type: metric.type, value, isHistorical, properties };
    });
    return this.#make('DDATA', device, metrics, nowMs);
  }

  #makeDeviceDeath(device: string, nowMs: number): readonly NodeMessage[] {
    this.#born.delete(device);
    return this.#make('DDEATH', device, [], nowMs);
  }

  #make(
    verb: Verb,
    device: string | undefined,
    metrics: readonly Metric[],
    nowMs: number,
  ): readonly NodeMessage[] {
    return this.#number(this.#compose(verb, device, metrics, nowMs), verb, device);
  }

  /** Returns a message with the next sequence number; undefined: it is too large. */
  #compose(
    verb: Verb,
    device: string | undefined,
    metrics: readonly Metric[],
    nowMs: number,
  ): NodeMessage | undefined {
    const { name, fits } = this.#options;
    const topic = topicOf(name, verb, device);
    const payload = encodePayload({ timestampMs: nowMs, metrics, seq: this.#seq });
    return fits?.(topic, payload) === false ? undefined : { topic, payload, verb };
  }

  /** Takes the sequence number of a message that is sent. */
  #number(message: NodeMessage | undefined, verb: Verb, device: string | undefined): readonly NodeMessage[] {
    if (message === undefined) {
      const { name, onTooLarge } = this.#options;
      onTooLarge?.(verb, topicOf(name, verb, device));
      return [];
    }
    this.#seq = (this.#seq + 1) % 256;
    return [message];
  }

  #listNodeMetrics(nowMs: number): readonly Metric[] {
    const { bdSeq, properties, aliasOf } = this.#options;
    const texts = Object.entries(properties).map(([key, value]) => {
      const name = `Properties/${key}`;
      return { name, alias: aliasOf(name), timestampMs: nowMs, type: DATA_TYPE.String, value };
    });
    return [
      makeBdSeq(bdSeq, nowMs),
      { name: REBIRTH_METRIC, timestampMs: nowMs, type: DATA_TYPE.Boolean, value: false },
      ...texts,
    ];
  }

  #keepQuality(alias: number, quality: Quality): void {
    if (quality === QUALITY.GOOD) this.#qualities.delete(alias);
    else this.#qualities.set(alias, quality);
  }
}

function makeBdSeq(bdSeq: number, nowMs: number): Metric {
  return { name: 'bdSeq', timestampMs: nowMs, type: DATA_TYPE.Int64, value: bdSeq };
}

function listProperties(metric: DefinedMetric, quality: Quality): readonly MetricProperty[] {
  const { unit, minimum, maximum, isWritable } = metric;
  return [
    toQuality(quality),
    ...(unit === undefined ? [] : [{ key: 'engUnit', type: DATA_TYPE.String, value: unit }]),
    ...(minimum === undefined ? [] : [{ key: 'engLow', type: DATA_TYPE.Double, value: minimum }]),
    ...(maximum === undefined ? [] : [{ key: 'engHigh', type: DATA_TYPE.Double, value: maximum }]),
    { key: 'readOnly', type: DATA_TYPE.Boolean, value: !isWritable },
  ];
}

function toQuality(quality: Quality): MetricProperty {
  return { key: 'Quality', type: DATA_TYPE.Int32, value: quality };
}

/** Returns a metric without its value if that can be long. */
function withoutText(metric: Metric): Metric {
  const isLong = typeof metric.value === 'string' || typeof metric.value === 'object';
  return isLong ? { ...metric, value: undefined } : metric;
}

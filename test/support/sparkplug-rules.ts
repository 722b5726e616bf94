import { decodeSparkplug, valueOf } from './sparkplug-payload.ts';
import type { SparkplugMetric, SparkplugPayload } from './sparkplug-payload.ts';

/** A message of an edge node, decoded. */
export interface SparkplugMessage {
  readonly verb: string;
  readonly topic: string;
  readonly device: string | undefined;
  readonly payload: SparkplugPayload;
}

/** A value that a host received. */
export interface ReceivedValue {
  readonly device: string;
  readonly metric: string;
  readonly value: unknown;
  readonly isHistorical: boolean;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly quality: unknown;
}

/** A row of a data set, with its values by the names of the columns; undefined: null. */
export interface ReceivedRow extends Omit<ReceivedValue, 'metric' | 'value'> {
  readonly elements: ReadonlyMap<string, unknown>;
}

interface Born {
  readonly name: string;
  readonly datatype: number | undefined;
}

/**
 * A host application without a connection: follows the messages of one edge node as they come, and notes what it may not do.
 *
 * Sequence numbers are followed from each NBIRTH; values are found by the aliases of the births.
 */
export class SparkplugRules {
  /** What broke a rule, in words. */
  readonly violations: string[] = [];
  readonly messages: SparkplugMessage[] = [];
  readonly values: ReceivedValue[] = [];
  readonly rows: ReceivedRow[] = [];
  #willBdSeq: unknown;
  #bdSeq: unknown;
  #seq: number | undefined;
  readonly #devices = new Map<string, ReadonlyMap<string, Born>>();
  readonly #aliases = new Set<string>();

  /** True between a birth and a death of the node. */
  get isOnline(): boolean {
    return this.#seq !== undefined;
  }

  /** Names of the devices that are born. */
  get devices(): readonly string[] {
    return [...this.#devices.keys()];
  }

  /** Number of the connection of the last birth. */
  get bdSeq(): unknown {
    return this.#bdSeq;
  }

  /** Names of the metrics of a device that is born. */
  metricsOf(device: string): readonly string[] {
    return [...(this.#devices.get(device)?.values() ?? [])].map(({ name }) => name);
  }

  /** Takes the will of a new connection. */
  connect(will: Uint8Array): void {
    const { metrics, seq } = decodeSparkplug(will);
    const [bdSeq] = metrics;
    this.#expect(
      metrics.length === 1 && bdSeq?.name === 'bdSeq' && seq === undefined,
      'the will is no NDEATH',
    );
    this.#willBdSeq = bdSeq?.longValue;
  }

  /** Takes a message. */
  take(topic: string, bytes: Uint8Array): SparkplugMessage {
    const [namespace, , verb = '', , device] = topic.split('/');
    const message = { verb, topic, device, payload: decodeSparkplug(bytes) };
    this.#expect(namespace === 'spBv1.0', `the topic ${topic}`);
    this.messages.push(message);
    this.#judge(message);
    return message;
  }

  #judge(message: SparkplugMessage): void {
    const { verb, device, payload } = message;
    if (payload.timestamp === undefined) this.violations.push(`${verb} without timestamp`);
    if (verb === 'NDEATH') return this.#judgeNodeDeath(payload);
    if (verb === 'NBIRTH') return this.#judgeNodeBirth(payload);
    if (this.#seq === undefined) {
      this.violations.push(`${verb} ${device} before NBIRTH`);
      return undefined;
    }
    this.#seq = (this.#seq + 1) % 256;
    this.#expect(payload.seq === String(this.#seq), `${verb} with seq ${payload.seq}, not ${this.#seq}`);
    this.#seq = Number(payload.seq);
    if (device === undefined) return this.#expect(verb === 'NDATA', `${verb} without a device`);
    if (verb === 'DBIRTH') this.#judgeDeviceBirth(device, payload);
    else if (verb === 'DDEATH') this.#expect(this.#devices.delete(device), `DDEATH of ${device}, not born`);
    else if (verb === 'DDATA') this.#judgeData(device, payload);
    else this.violations.push(`the verb ${verb}`);
    return undefined;
  }

  #judgeNodeDeath({ metrics, seq }: SparkplugPayload): void {
    this.#expect(seq === undefined, 'NDEATH with a seq');
    this.#expect(metrics.length === 1 && metrics[0]?.name === 'bdSeq', 'NDEATH with other metrics');
    // A will of an earlier connection may come late.
    if (metrics[0]?.longValue !== this.#bdSeq) return;
    this.#seq = undefined;
    this.#devices.clear();
  }

  #judgeNodeBirth({ metrics, seq }: SparkplugPayload): void {
    this.#expect(seq === '0', `NBIRTH with seq ${seq}`);
    this.#seq = 0;
    this.#devices.clear();
    this.#aliases.clear();
    const find = (name: string): SparkplugMetric | undefined => metrics.find((each) => each.name === name);
    this.#bdSeq = find('bdSeq')?.longValue;
    if (this.#willBdSeq !== undefined) {
      this.#expect(this.#bdSeq === this.#willBdSeq, `bdSeq ${String(this.#bdSeq)}, not that of the will`);
    }
    const rebirth = find('Node Control/Rebirth');
    this.#expect(
      rebirth?.booleanValue === false && rebirth.datatype === 11 && rebirth.alias === undefined,
      'NBIRTH without Node Control/Rebirth',
    );
    for (const metric of metrics) this.#judgeBorn('NBIRTH', metric);
  }

  #judgeDeviceBirth(device: string, { metrics }: SparkplugPayload): void {
    const born = new Map<string, Born>();
    for (const metric of metrics) {
      this.#judgeBorn(`DBIRTH ${device}`, metric);
      const { name = '', alias = '', datatype } = metric;
      this.#expect(alias !== '', `DBIRTH ${device} ${name} without alias`);
      // A device that is born again keeps its aliases.
      born.set(alias, { name, datatype });
    }
    this.#expect(
      new Set([...born.values()].map(({ name }) => name)).size === metrics.length,
      `DBIRTH ${device}: a name twice`,
    );
    for (const alias of this.#devices.get(device)?.keys() ?? []) this.#aliases.delete(alias);
    for (const alias of born.keys()) {
      const others = [...this.#devices].some(([id, known]) => id !== device && known.has(alias));
      this.#expect(!others, `the alias ${alias} twice`);
    }
    this.#devices.set(device, born);
  }

  #judgeBorn(place: string, metric: SparkplugMetric): void {
    const { name, datatype, timestamp, isNull } = metric;
    this.#expect(
      name !== undefined && datatype !== undefined && timestamp !== undefined,
      `${place} ${name}: name, datatype or timestamp is missing`,
    );
    this.#expect((isNull === true) !== (metric.value !== undefined), `${place} ${name} without value`);
    this.#judgeQuality(place, metric);
  }

  #judgeData(device: string, { metrics }: SparkplugPayload): void {
    const born = this.#devices.get(device);
    if (born === undefined) {
      this.violations.push(`DDATA of ${device}, not born`);
      return;
    }
    const flags = new Set(metrics.map(({ isHistorical = false }) => isHistorical));
    this.#expect(flags.size === 1, 'DDATA with historical and other metrics');
    for (const metric of metrics) {
      const { name, alias = '', datatype, timestamp, isHistorical = false, isNull } = metric;
      const known = born.get(alias);
      this.#expect(known !== undefined, `DDATA ${device} with the unknown alias ${alias}`);
      this.#expect(
        name === undefined && datatype === undefined,
        `DDATA ${device} ${alias} with name or datatype`,
      );
      this.#expect(timestamp !== undefined, `DDATA ${device} ${alias} without timestamp`);
      this.#expect(
        (isNull === true) !== (metric.value !== undefined),
        `DDATA ${device} ${alias} without value`,
      );
      this.#judgeQuality(`DDATA ${device}`, metric);
      const received = { device, isHistorical, timestampMs: Number(timestamp), quality: qualityOf(metric) };
      if (metric.datasetValue === undefined) {
        this.values.push({ ...received, metric: known?.name ?? '', value: valueOf(metric) });
        continue;
      }
      const { columns = [], rows: [row] = [] } = metric.datasetValue;
      const elements = columns.map((column, index) => {
        const element = row?.elements?.[index];
        return [column, element && valueOf(element)] as const;
      });
      this.rows.push({ ...received, elements: new Map(elements) });
    }
  }

  #judgeQuality(place: string, metric: SparkplugMetric): void {
    const { keys = [], values = [] } = metric.properties ?? {};
    this.#expect(keys.length === values.length, `${place}: ${keys.length} keys, ${values.length} values`);
    const quality = values[keys.indexOf('Quality')];
    if (quality === undefined) return;
    this.#expect(
      quality.type === 3 && [0, 192, 500].includes(Number(quality['intValue'])),
      `${place}: the quality ${JSON.stringify(quality)}`,
    );
  }

  #expect(holds: boolean, violation: string): void {
    if (!holds) this.violations.push(violation);
  }
}

/** Returns the quality of a metric; undefined: it has none. */
export function qualityOf({ properties }: SparkplugMetric): unknown {
  return properties?.values[properties.keys.indexOf('Quality')]?.['intValue'];
}

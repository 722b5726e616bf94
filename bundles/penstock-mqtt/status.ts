import { BrokerStatus, describeRetry, toCheck } from '../mqtt/broker-status.ts';
import type { BrokerReport, OwnFindings } from '../mqtt/broker-status.ts';
import { addWords, toWords } from '../mqtt/words.ts';
import type { Words } from '../mqtt/words.ts';

/** Names of what is counted since the start of the process. */
const COUNTERS = [
  'sent',
  'acknowledged',
  'samples',
  'gaps',
  'refused',
  'oversized',
  'reconnects',
  'commands',
  'commandErrors',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** Amounts that are measured for each report. */
export interface Levels {
  /** Messages without acknowledgement. */
  readonly waiting: number;
  /** Entries of the journal that have not arrived. */
  readonly backlog: number;
  /** Topics that the broker refuses. */
  readonly heldTopics: number;
}

/** Topics in the report, of those that are refused. */
const MAXIMUM_TOPICS = 8;

/** A topic that the broker refuses, and why. */
interface RefusedTopic {
  readonly topic: string;
  readonly reason: string;
}

interface RefusedTopics {
  readonly topics: readonly RefusedTopic[];
  /** When they are tried again. */
  readonly next: Words;
}

/** Collects what the bundle reports of itself. */
export class SenderStatus extends BrokerStatus<Counter> {
  #commandFault: Words | undefined;
  readonly #refused = new Map<string, RefusedTopics>();
  #oversized: string | undefined;

  readonly #onOversized: (detail: string) => void;

  /** @param onOversized called with the name and the size of a sample that is left out */
  constructor(onOversized: (detail: string) => void = () => {}) {
    super('penstock-mqtt', COUNTERS);
    this.#onOversized = onOversized;
  }

  setConnected(url: string): void {
    this.setConnection({ state: 'OK', words: { en: `connected to ${url}`, de: `verbunden mit ${url}` } });
  }

  /**
   * Records the topics of a recorder that are held.
   *
   * @param topics none: all are accepted
   * @param delayMs until they are tried again; undefined: others come first
   */
  setRefused(recorder: string, topics: readonly RefusedTopic[], delayMs?: number): void {
    const next = delayMs === undefined ? { en: '', de: '' } : describeRetry(delayMs);
    if (topics.length === 0) this.#refused.delete(recorder);
    else this.#refused.set(recorder, { topics, next });
  }

  /** Records a sample that the broker takes in no message: it is left out. */
  setOversized(detail: string): void {
    this.count('oversized');
    this.#oversized = detail;
    this.#onOversized(detail);
  }

  /** @param fault undefined: commands are received or disabled */
  setCommandFault(fault: string | Words | undefined): void {
    this.#commandFault = fault === undefined ? undefined : toWords(fault);
  }

  report(levels: Levels): BrokerReport {
    return this.makeReport({ ...levels });
  }

  protected override findOwn(): OwnFindings {
    const topics = [...this.#refused.values()].flatMap((refused) => refused.topics);
    const [refused] = this.#refused;
    const words = refused === undefined ? this.#commandFault : describeRefused(...refused);
    return {
      checks: [
        ...topics
          .slice(0, MAXIMUM_TOPICS)
          .map(({ topic, reason }) => toCheck(`topic ${topic}`, 'ERROR', reason, TOPIC_REMEDY)),
        toCheck(
          { en: 'state and commands', de: 'Zustand und Befehle' },
          'ERROR',
          this.#commandFault,
          TOPIC_REMEDY,
        ),
        toCheck({ en: 'large samples', de: 'Große Messwerte' }, 'WARNING', this.#oversized, SIZE_REMEDY),
      ],
      fault: words === undefined ? undefined : { state: 'ERROR', words },
    };
  }
}

const SIZE_REMEDY = {
  en: 'raise the maximum packet size of the broker and restart the bundle, or leave the channel out of the recorder',
  de: 'Erhöhen Sie die maximale Paketgröße des Brokers und starten Sie das Bundle neu, oder nehmen Sie den Kanal aus dem Recorder',
};
const TOPIC_REMEDY = {
  en: 'allow it in the access list of the broker, or change the topic: penstock bundle configure penstock-mqtt',
  de: 'Erlauben Sie es in der Zugriffsliste des Brokers, oder ändern Sie das Topic: penstock bundle configure penstock-mqtt',
};

function describeRefused(recorder: string, { topics, next }: RefusedTopics): Words {
  const count = topics.length - 1;
  const reason = toWords(topics[0]?.reason ?? '');
  const others =
    count > 0
      ? { en: ` (and ${count} more topics)`, de: ` (und ${count} weitere Topics)` }
      : { en: '', de: '' };
  const words = { en: `recorder "${recorder}": ${reason.en}`, de: `Recorder „${recorder}“: ${reason.de}` };
  return addWords(addWords(words, others), next);
}

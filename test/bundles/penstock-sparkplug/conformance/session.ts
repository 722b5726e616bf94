/** What an edge node and its brokers said to each other, in the order in which it passed. */
export interface Session {
  readonly group: string;
  readonly node: string;
  /** Devices whose metrics can be written. */
  readonly writable: readonly string[];
  /** Addresses of the brokers in the order of the settings. */
  readonly brokers: readonly string[];
  /** The host that the edge node waits for; undefined if it waits for none. */
  readonly primaryHost?: string;
  readonly events: SessionEvent[];
}

/** One packet, or the mark of a test that a device was cut off. */
export type SessionEvent =
  | ConnectEvent
  | SubscribeEvent
  | PublishEvent
  | DeliveryEvent
  | (Place & { readonly type: 'accepted' | 'closed' })
  | (Place & { readonly type: 'acknowledge'; readonly messageId: number })
  | (Place & { readonly type: 'disconnect'; reasonCode: number | undefined })
  | (Place & { readonly type: 'lost'; readonly device: string });

/** Where and when an event was. */
export interface Place {
  /** Number of the connection, from 0. Marks have that of the newest one. */
  readonly connection: number;
  /** Address of the broker. */
  broker: string;
  /** Time of the recorder, milliseconds since the epoch. */
  readonly at: number;
}

/** CONNECT of the edge node. */
export interface ConnectEvent extends Place {
  readonly type: 'connect';
  readonly version: 4 | 5;
  isClean: boolean;
  /** Seconds; undefined: none was sent. */
  sessionExpiry: number | undefined;
  will: { topic: string; payload: Payload | undefined; qos: number; isRetained: boolean } | undefined;
}

/** SUBSCRIBE of the edge node. */
export interface SubscribeEvent extends Place {
  readonly type: 'subscribe';
  filters: { filter: string; qos: number }[];
}

/** PUBLISH of the edge node. */
export interface PublishEvent extends Place {
  readonly type: 'publish';
  topic: string;
  /** Undefined: the bytes are none of Sparkplug's schema. */
  payload: Payload | undefined;
  qos: number;
  isRetained: boolean;
}

/** PUBLISH towards the edge node: a command or the state of a host. */
export interface DeliveryEvent extends Place {
  readonly type: 'delivery';
  readonly topic: string;
  /** Of a command. */
  readonly payload?: Payload;
  /** Of the state of a host. */
  readonly text?: string;
  /** With QoS 1. */
  readonly messageId?: number;
}

/** A payload in the JSON form of protocol buffers: what was not sent is absent, 64 bits are texts. */
export interface Payload {
  timestamp?: string;
  seq?: string;
  metrics?: Metric[];
}

/** A metric of a payload. */
export interface Metric extends ValueFields {
  name?: string;
  alias?: string;
  timestamp?: string;
  datatype?: number;
  isHistorical?: boolean;
  isNull?: boolean;
  properties?: { keys?: string[]; values?: PropertyValue[] };
  datasetValue?: DataSet;
  templateValue?: object;
}

/** The value of a property. */
export interface PropertyValue extends ValueFields {
  type?: number;
  isNull?: boolean;
  propertysetValue?: object;
  propertysetsValue?: object;
}

/** A table. */
export interface DataSet {
  numOfColumns?: string;
  columns?: string[];
  types?: number[];
  rows?: { elements?: ValueFields[] }[];
}

/** Fields of a value; at most one is present. */
export interface ValueFields {
  intValue?: number;
  longValue?: string;
  floatValue?: number | string;
  doubleValue?: number | string;
  booleanValue?: boolean;
  stringValue?: string;
  /** Base64. */
  bytesValue?: string;
}

/** Sparkplug's verbs of an edge node. */
export const VERBS = ['NBIRTH', 'NDATA', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'] as const;

/** The parts of a topic; those that it lacks are empty. */
export interface Topic {
  readonly namespace: string;
  readonly group: string;
  readonly verb: string;
  readonly node: string;
  /** Undefined: it has four elements. */
  readonly device: string | undefined;
}

/** Takes a topic apart. */
export function parseTopic(topic: string): Topic {
  const [namespace = '', group = '', verb = '', node = '', device] = topic.split('/');
  return { namespace, group, verb, node, device };
}

/** Returns the verb of a published message. */
export function verbOf(event: { readonly topic: string }): string {
  return parseTopic(event.topic).verb;
}

/** Returns the device of a published message; undefined: it is the edge node's. */
export function deviceOf(event: { readonly topic: string }): string | undefined {
  return parseTopic(event.topic).device;
}

/** True if an event is a message of the edge node, with one of these verbs if some are given. */
export function isMessage(event: SessionEvent, ...verbs: readonly string[]): event is PublishEvent {
  return event.type === 'publish' && (verbs.length === 0 || verbs.includes(verbOf(event)));
}

/** Lists the messages of the edge node, with one of these verbs if some are given. */
export function messagesOf(events: readonly SessionEvent[], ...verbs: readonly string[]): PublishEvent[] {
  return events.filter((event) => isMessage(event, ...verbs));
}

/** Lists the events of each connection. */
export function connectionsOf({ events }: Session): readonly SessionEvent[][] {
  const connections: SessionEvent[][] = [];
  for (const event of events) (connections[event.connection] ??= []).push(event);
  return connections;
}

/** Lists, for each NBIRTH, the events from it to the next one or to the end of its connection. */
export function birthsOf(session: Session): readonly SessionEvent[][] {
  return connectionsOf(session).flatMap((events) => {
    const runs: SessionEvent[][] = [];
    for (const event of events) {
      if (isMessage(event, 'NBIRTH')) runs.push([]);
      runs.at(-1)?.push(event);
    }
    return runs;
  });
}

/** True if a command requests new births. */
export function isRebirthRequest(event: SessionEvent): event is DeliveryEvent {
  return (
    event.type === 'delivery' &&
    verbOf(event) === 'NCMD' &&
    (event.payload?.metrics ?? []).some(
      ({ name, booleanValue }) => name === 'Node Control/Rebirth' && booleanValue === true,
    )
  );
}

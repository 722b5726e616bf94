import { isMessage } from './session.ts';
import type {
  ConnectEvent,
  DataSet,
  Metric,
  Payload,
  PropertyValue,
  PublishEvent,
  Session,
  SessionEvent,
} from './session.ts';
import { fieldsOf } from './values.ts';

/** A defect that a session gets. */
export interface Plant {
  readonly name: string;
  /** Options of the session before; see `makeSession`. */
  readonly made?: { readonly version?: 5; readonly hasAliases?: false; readonly hasHost?: false };
  readonly plant: (session: Session) => unknown;
}

/** Defects by the title of the rule that has to see them. */
export type Plants = Readonly<Record<string, readonly Plant[]>>;

/** Returns something that has to be there. */
export function demand<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw new Error(`no ${name}`);
  return thing;
}

/** Returns a message by its verb; a negative index counts from the end. */
export function pick(session: Session, verb: string, index = 0): PublishEvent {
  return demand(session.events.filter((event) => isMessage(event, verb)).at(index), `${verb} ${index}`);
}

/** Returns the payload of a message. */
export function payloadOf(session: Session, verb: string, index = 0): Payload {
  return demand(pick(session, verb, index).payload, 'payload');
}

/** Returns the metrics of a message. */
export function metricsOf(session: Session, verb: string, index = 0): Metric[] {
  return demand(payloadOf(session, verb, index).metrics, 'metrics');
}

/** Returns a metric of the first message with a verb. */
export function metricOf(session: Session, verb: string, index = 0): Metric {
  return demand(metricsOf(session, verb).at(index), 'metric');
}

/** Returns the metric bdSeq, which is the first one. */
export function bdSeqMetric(payload: Payload | undefined): Metric {
  return demand(payload?.metrics?.[0], 'bdSeq');
}

/** Returns the properties of the first metric of the first message with a verb. */
export function propertiesOf(
  session: Session,
  verb: string,
): { readonly keys: string[]; readonly values: PropertyValue[] } {
  const { keys, values } = demand(metricOf(session, verb).properties, 'properties');
  return { keys: demand(keys, 'keys'), values: demand(values, 'values') };
}

/** Returns the first table of a birth. */
export function tableOf(session: Session): DataSet {
  return demand(metricOf(session, 'DBIRTH', 2).datasetValue, 'table');
}

/** Returns a CONNECT. */
export function connectOf(session: Session, index = 0): ConnectEvent {
  return demand(session.events.filter((event) => event.type === 'connect')[index], 'CONNECT');
}

/** Returns the will of a connection. */
export function willOf(session: Session, index = 0): NonNullable<ConnectEvent['will']> {
  return demand(connectOf(session, index).will, 'will');
}

/** Returns the filters of the first SUBSCRIBE. */
export function filtersOf(session: Session): { filter: string; qos: number }[] {
  return demand(session.events.find((event) => event.type === 'subscribe')?.filters, 'SUBSCRIBE');
}

/** Removes the value of a metric. */
export function dropValue(metric: Metric): void {
  for (const field of fieldsOf(metric)) Reflect.deleteProperty(metric, field);
  delete metric.isNull;
}

/** Moves a timestamp. */
export function shift(timed: { timestamp?: string }, byMs: number): void {
  timed.timestamp = String(Number(timed.timestamp) + byMs);
}

/** Removes the events that match. */
export function remove({ events }: Session, matches: (event: SessionEvent) => boolean): void {
  const rest = events.filter((event) => !matches(event));
  events.splice(0, events.length, ...rest);
}

/** Removes one message. */
export function drop(session: Session, message: PublishEvent): void {
  remove(session, (event) => event === message);
}

/** Puts an event before another one. */
export function insert({ events }: Session, event: SessionEvent, before: SessionEvent): void {
  events.splice(events.indexOf(before), 0, event);
}

/** Moves the first event that matches behind the first one that matches `target`. */
export function move(
  { events }: Session,
  matches: (event: SessionEvent) => boolean,
  target: (event: SessionEvent) => boolean,
): void {
  const [event] = events.splice(events.findIndex(matches), 1);
  events.splice(events.findIndex(target) + 1, 0, demand(event, 'event'));
}

/** Replaces the events that match. */
export function change({ events }: Session, replace: (event: SessionEvent) => SessionEvent): void {
  events.splice(0, events.length, ...events.map(replace));
}

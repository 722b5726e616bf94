import { bdSeqMetric, connectOf, demand, filtersOf, move, pick, remove, willOf } from '../edits.ts';
import type { Plants } from '../edits.ts';
import { isMessage } from '../session.ts';
import type { Session, SessionEvent } from '../session.ts';

/** Defects that the rules of `../rules/connection-rules.ts` have to see. */
export const CONNECTION_PLANTS: Plants = {
  'CONNECT of MQTT 3.1.1 sets Clean Session': [
    { name: 'a kept session', plant: (session) => void (connectOf(session).isClean = false) },
  ],
  'CONNECT of MQTT 5 sets Clean Start, and no session expiry': [
    {
      name: 'a kept session',
      made: { version: 5 },
      plant: (session) => void (connectOf(session).isClean = false),
    },
    {
      name: 'an expiry',
      made: { version: 5 },
      plant: (session) => void (connectOf(session).sessionExpiry = 60),
    },
  ],
  'every CONNECT has a will': [
    { name: 'none', plant: (session) => void (connectOf(session).will = undefined) },
  ],
  'the will is a Sparkplug payload with QoS 1 that is not retained': [
    { name: 'a text', plant: (session) => void (willOf(session).payload = undefined) },
    { name: 'QoS 0', plant: (session) => void (willOf(session).qos = 0) },
    { name: 'retained', plant: (session) => void (willOf(session).isRetained = true) },
  ],
  'bdSeq begins with 0, and is one higher in every CONNECT, 0 after 255': [
    {
      name: 'begins with 1',
      plant: (session) => void (bdSeqMetric(willOf(session).payload).longValue = '1'),
    },
    { name: 'stays', plant: (session) => void (bdSeqMetric(willOf(session, 1).payload).longValue = '0') },
    {
      name: 'another datatype',
      plant: (session) => void (bdSeqMetric(willOf(session).payload).datatype = 8),
    },
    { name: 'none', plant: (session) => void (willOf(session).payload = { metrics: [] }) },
  ],
  'NCMD is subscribed to with QoS 1 before the NBIRTH': [
    { name: 'QoS 0', plant: (session) => filtersOf(session).forEach((each) => (each.qos = 0)) },
    { name: 'none', plant: (session) => void filtersOf(session).shift() },
    { name: 'after it', plant: (session) => move(session, ({ type }) => type === 'subscribe', isBirth) },
  ],
  'DCMD of a device that can be written is subscribed to with QoS 1 before its DBIRTH': [
    { name: 'QoS 0', plant: (session) => filtersOf(session).forEach((each) => (each.qos = 0)) },
    { name: 'none', plant: (session) => void filtersOf(session).splice(1, 1) },
    {
      name: 'of another device',
      plant: (session) =>
        filtersOf(session).forEach((each) => (each.filter = each.filter.replace('+', 'pump'))),
    },
  ],
  'nothing is published before the broker accepted the connection': [
    { name: 'before', plant: (session) => move(session, ({ type }) => type === 'accepted', isBirth) },
  ],
  'the first message of a connection is an NBIRTH': [
    { name: 'a DBIRTH', plant: (session) => move(session, isBirth, (event) => isMessage(event, 'DBIRTH')) },
  ],
  'an NDEATH is published right before a DISCONNECT': [
    { name: 'none', plant: (session) => remove(session, (event) => isMessage(event, 'NDEATH')) },
    {
      name: 'a message after it',
      plant: (session) => void (pick(session, 'NDEATH').topic = 'spBv1.0/Plant/NDATA/north'),
    },
  ],
  'a DISCONNECT of MQTT 5 leaves the will': [
    {
      name: 'a normal one',
      made: { version: 5 },
      plant: (session) => void (disconnectOf(session).reasonCode = 0),
    },
    {
      name: 'no reason',
      made: { version: 5 },
      plant: (session) => void (disconnectOf(session).reasonCode = undefined),
    },
  ],
  'there is at most one connection at a time': [
    {
      name: 'two',
      plant(session) {
        for (const type of ['disconnect', 'closed']) {
          remove(session, (event) => event.type === type && event.connection === 0);
        }
      },
    },
  ],
};

function isBirth(event: SessionEvent): boolean {
  return isMessage(event, 'NBIRTH');
}

function disconnectOf({ events }: Session): SessionEvent & { type: 'disconnect' } {
  return demand(
    events.find((event) => event.type === 'disconnect'),
    'DISCONNECT',
  );
}

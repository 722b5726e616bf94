import { drop, insert, metricsOf, payloadOf, pick, remove, willOf } from '../edits.ts';
import type { Plants } from '../edits.ts';
import { isMessage, isRebirthRequest } from '../session.ts';

/** Defects that the rules of `../rules/end-rules.ts` have to see. */
export const END_PLANTS: Plants = {
  'NDEATH has the metric bdSeq alone, and no sequence number': [
    {
      name: 'a further metric',
      plant: (session) => void metricsOf(session, 'NDEATH').push({ name: 'x', datatype: 3, intValue: 1 }),
    },
    { name: 'a number', plant: (session) => void (payloadOf(session, 'NDEATH').seq = '0') },
    {
      name: 'a number in the will',
      plant: (session) => void (willOf(session).payload = { ...willOf(session).payload, seq: '0' }),
    },
    { name: 'a will without it', plant: (session) => void (willOf(session).payload = {}) },
  ],
  'a device that is cut off gets a DDEATH, and no data until it is born again': [
    { name: 'none', plant: (session) => remove(session, (event) => isMessage(event, 'DDEATH')) },
    {
      name: 'data after it',
      plant: (session) => void (pick(session, 'DDATA', -1).topic = 'spBv1.0/Plant/DDATA/north/pump'),
      made: { hasHost: false },
    },
  ],
  'data stops when a host requests new births': [
    {
      name: 'data',
      plant(session) {
        const index = session.events.findIndex((event) => isRebirthRequest(event));
        session.events.splice(index + 2, 0, { ...pick(session, 'DDATA') });
      },
    },
    {
      name: 'data after a request that follows the first births',
      plant(session) {
        const request = session.events.find((event) => isRebirthRequest(event));
        const data = pick(session, 'DDATA');
        const { connection, broker, at } = data;
        if (request !== undefined) insert(session, { ...request, at, messageId: 99 }, data);
        insert(session, { type: 'acknowledge', messageId: 99, connection, broker, at }, data);
      },
    },
  ],
  'NBIRTH and the DBIRTH of all connected devices follow when a host requests them': [
    { name: 'none', plant: (session) => drop(session, pick(session, 'NBIRTH', 1)) },
    { name: 'a DBIRTH that is missing', plant: (session) => drop(session, pick(session, 'DBIRTH', 2)) },
  ],
};

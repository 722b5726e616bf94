import { change, drop, filtersOf, insert, move, pick, remove } from '../edits.ts';
import type { Plants } from '../edits.ts';
import { isMessage } from '../session.ts';
import type { DeliveryEvent, Session, SessionEvent } from '../session.ts';

/** Defects that the rules of `../rules/host-rules.ts` have to see. */
export const HOST_PLANTS: Plants = {
  'the state of the primary host is subscribed to before the NBIRTH': [
    { name: 'none', plant: (session) => void filtersOf(session).pop() },
    {
      name: 'that of another host',
      plant: (session) =>
        filtersOf(session).forEach((each) => (each.filter = each.filter.replace('scada', 'other'))),
    },
  ],
  'births wait until the primary host, and no other, is online by its newest state': [
    { name: 'before the state', plant: (session) => move(session, isState, isBirth) },
    { name: 'another host', plant: (session) => changeStates(session, { topic: 'spBv1.0/STATE/other' }) },
    {
      name: 'a host that is offline',
      plant: (session) => changeStates(session, { text: '{"online":false,"timestamp":9000000000000}' }),
    },
    { name: 'a state that is no JSON', plant: (session) => changeStates(session, { text: 'ONLINE' }) },
    {
      name: 'a birth after the offline state',
      plant: (session) => insert(session, { ...pick(session, 'NBIRTH') }, pick(session, 'NDEATH')),
    },
    {
      name: 'an old state',
      plant(session) {
        const state = session.events.findLast(isState);
        const old = { text: '{"online":true,"timestamp":5}', broker: 'one' };
        change(session, (event) => (event === state && isState(event) ? { ...event, ...old } : event));
      },
    },
  ],
  'after the primary host went offline, an NDEATH and the end of the connection follow': [
    { name: 'no NDEATH', plant: (session) => remove(session, (event) => isMessage(event, 'NDEATH')) },
    {
      name: 'no end',
      plant(session) {
        for (const type of ['disconnect', 'closed']) {
          remove(session, (event) => event.type === type && event.connection === 0);
        }
      },
    },
    {
      name: 'data first',
      plant: (session) => insert(session, { ...pick(session, 'DDATA') }, pick(session, 'NDEATH')),
    },
  ],
  'after the primary host went offline, the next broker is tried': [
    {
      name: 'the same one',
      plant: (session) => session.events.forEach((event) => (event.broker = 'one')),
    },
  ],
  'an offline state that is older than the last online state changes nothing': [
    { name: 'an end', plant: (session) => drop(session, pick(session, 'DDATA', -1)) },
  ],
};

function isState(event: SessionEvent): event is DeliveryEvent {
  return event.type === 'delivery' && event.text !== undefined;
}

function isBirth(event: SessionEvent): boolean {
  return isMessage(event, 'NBIRTH');
}

function changeStates(session: Session, changes: Partial<Pick<DeliveryEvent, 'topic' | 'text'>>): void {
  change(session, (event) => (isState(event) ? { ...event, ...changes } : event));
}

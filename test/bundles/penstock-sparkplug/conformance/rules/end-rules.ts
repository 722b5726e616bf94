import type { Rule } from '../rule.ts';
import {
  birthsOf,
  connectionsOf,
  deviceOf,
  isMessage,
  isRebirthRequest,
  messagesOf,
  verbOf,
} from '../session.ts';
import type { Payload, SessionEvent } from '../session.ts';

/** A further request so soon after an NBIRTH is answered by a later one, so that a storm of them costs no storm of births. */
export const REBIRTH_PAUSE_MS = 5000;

/** Deaths, and births that a host requests. */
export const END_RULES: readonly Rule[] = [
  {
    title: 'NDEATH has the metric bdSeq alone, and no sequence number',
    kept: 'The payload is made of bdSeq.',
    statements: ['topics-ndeath-payload', 'topics-ndeath-seq', 'payloads-ndeath-seq'],
    check({ events }, findings) {
      const payloads = events.flatMap((event): readonly (Payload | undefined)[] => {
        if (event.type === 'connect' && event.will !== undefined) return [event.will.payload];
        return isMessage(event, 'NDEATH') ? [event.payload] : [];
      });
      for (const payload of payloads) {
        const names = (payload?.metrics ?? []).map(({ name }) => name);
        findings.expect(names.length === 1 && names[0] === 'bdSeq', `metrics ${names.join(', ')}`);
        findings.expect(payload?.seq === undefined, `seq ${payload?.seq ?? ''}`);
      }
    },
  },
  {
    title: 'a device that is cut off gets a DDEATH, and no data until it is born again',
    kept: 'A device is dead when none of its channels can be read.',
    statements: ['operational-behavior-device-ddeath'],
    check(session, findings) {
      for (const run of birthsOf(session)) {
        for (const [index, event] of run.entries()) {
          if (event.type !== 'lost') continue;
          const follows = messagesOf(run.slice(index), 'DDEATH').some(
            (message) => deviceOf(message) === event.device,
          );
          findings.expect(follows, `no DDEATH of ${event.device}`);
        }
        const dead = new Set<string>();
        for (const message of messagesOf(run)) {
          const device = deviceOf(message) ?? '';
          if (verbOf(message) === 'DDEATH') dead.add(device);
          if (verbOf(message) === 'DBIRTH') dead.delete(device);
          if (verbOf(message) === 'DDATA')
            findings.expect(!dead.has(device), `data of ${device}, which is dead`);
        }
      }
    },
  },
  {
    title: 'data stops when a host requests new births',
    kept: `Births are the next message. After births that were requested, further requests wait for the end of ${REBIRTH_PAUSE_MS / 1000} s.`,
    statements: ['operational-behavior-data-commands-rebirth-action-1'],
    check(session, findings) {
      for (const { request, before, after } of requestsOf(connectionsOf(session))) {
        const last = messagesOf(before, 'NBIRTH').at(-1);
        const isRepeated = before.some((event) => isRebirthRequest(event));
        if (isRepeated && request.at - (last?.at ?? 0) < REBIRTH_PAUSE_MS) continue;
        const acknowledged = after.findIndex(
          (event) => event.type === 'acknowledge' && event.messageId === request.messageId,
        );
        if (acknowledged === -1) continue;
        const [next] = messagesOf(after.slice(acknowledged), 'NBIRTH', 'NDATA', 'DDATA');
        // The NBIRTH may have been written before the acknowledgement.
        const isBorn = messagesOf(after.slice(0, acknowledged), 'NBIRTH').length > 0;
        findings.expect(isBorn || next === undefined || verbOf(next) === 'NBIRTH', next?.topic ?? '');
      }
    },
  },
  {
    title: 'NBIRTH and the DBIRTH of all connected devices follow when a host requests them',
    kept: 'A rebirth is the same step as the births of a new connection.',
    statements: ['operational-behavior-data-commands-rebirth-action-2'],
    check(session, findings) {
      for (const { before, after } of requestsOf(connectionsOf(session))) {
        const birth = after.findIndex((event) => isMessage(event, 'NBIRTH'));
        findings.expect(birth !== -1, 'no NBIRTH after a request');
        if (birth === -1) continue;
        const connected = new Set<string>();
        for (const message of messagesOf(
          [...before, ...after.slice(0, birth)],
          'NBIRTH',
          'DBIRTH',
          'DDEATH',
        )) {
          const device = deviceOf(message) ?? '';
          if (verbOf(message) === 'NBIRTH') connected.clear();
          else if (verbOf(message) === 'DBIRTH') connected.add(device);
          else connected.delete(device);
        }
        for (const message of messagesOf(after.slice(birth), 'DBIRTH', 'DDEATH')) {
          connected.delete(deviceOf(message) ?? '');
        }
        findings.expect(connected.size === 0, `no DBIRTH of ${[...connected].join(', ')}`);
      }
    },
  },
];

/** Lists the requests for new births that came after births, with the events of their connection. */
function requestsOf(connections: readonly (readonly SessionEvent[])[]) {
  return connections.flatMap((events) =>
    events.flatMap((request, index) =>
      isRebirthRequest(request) && events.slice(0, index).some((event) => isMessage(event, 'NBIRTH'))
        ? [{ request, before: events.slice(0, index), after: events.slice(index + 1) }]
        : [],
    ),
  );
}

import { drop, metricOf, move, payloadOf, pick, shift } from '../edits.ts';
import type { Plant, Plants } from '../edits.ts';
import { isMessage } from '../session.ts';

/** Defects that the rules of `../rules/message-rules.ts` have to see. */
export const MESSAGE_PLANTS: Plants = {
  ...Object.fromEntries(
    ['NBIRTH', 'DBIRTH', 'NDATA', 'DDATA', 'DDEATH'].flatMap((verb): [string, Plant[]][] => [
      [
        `${verb} has QoS 0 and is not retained`,
        [
          { name: 'QoS 1', plant: (session) => void (pick(session, verb, -1).qos = 1) },
          { name: 'retained', plant: (session) => void (pick(session, verb).isRetained = true) },
        ],
      ],
      [
        `${verb} has the time at which it is sent`,
        [
          { name: 'none', plant: (session) => void delete payloadOf(session, verb).timestamp },
          { name: 'seconds', plant: (session) => void (payloadOf(session, verb).timestamp = '1764000000') },
          { name: 'an hour late', plant: (session) => shift(payloadOf(session, verb), 3_600_000) },
        ],
      ],
      [
        verb === 'NBIRTH'
          ? 'NBIRTH has the sequence number 0'
          : `${verb} has the sequence number that follows`,
        [
          { name: 'none', plant: (session) => void delete payloadOf(session, verb).seq },
          {
            name: 'one too many',
            plant: (session) =>
              void (payloadOf(session, verb).seq = String(Number(payloadOf(session, verb).seq) + 1)),
          },
          { name: '256', plant: (session) => void (payloadOf(session, verb, -1).seq = '256') },
        ],
      ],
    ]),
  ),
  'sequence numbers are without a gap, and only NDEATH has none': [
    { name: 'a message that is missing', plant: (session) => drop(session, pick(session, 'DDATA', 40)) },
    {
      name: 'a number twice',
      plant: (session) =>
        void (payloadOf(session, 'DDATA', 41).seq = payloadOf(session, 'DDATA', 40).seq ?? ''),
    },
    { name: '256 after 255', plant: (session) => void (payloadOf(session, 'DDATA', 253).seq = '256') },
    {
      name: 'two messages in another order',
      plant: (session) =>
        move(
          session,
          (event) => event === pick(session, 'DDATA', 40),
          (event) => event === pick(session, 'DDATA', 40),
        ),
    },
  ],
  'times are in UTC': [
    {
      name: 'a message of a zone in the east',
      plant: (session) => shift(payloadOf(session, 'DDATA'), 3_600_000),
    },
    {
      name: 'a message of a zone in the west',
      plant: (session) => shift(payloadOf(session, 'DDATA'), -3_600_000),
    },
    {
      name: 'a metric of a zone in the east',
      plant: (session) => shift(metricOf(session, 'DDATA'), 3_600_000),
    },
  ],
  'NBIRTH and DBIRTH are Sparkplug payloads': [
    {
      name: 'an NBIRTH that is none',
      plant: (session) => void (pick(session, 'NBIRTH').payload = undefined),
    },
    { name: 'a DBIRTH that is none', plant: (session) => void (pick(session, 'DBIRTH').payload = undefined) },
  ],
  'NDATA follows all births': [
    {
      name: 'before a DBIRTH',
      plant: (session) =>
        move(
          session,
          (event) => isMessage(event, 'DBIRTH'),
          (event) => isMessage(event, 'NDATA'),
        ),
    },
  ],
  'DDATA follows all births': [
    {
      name: 'before a DBIRTH',
      plant: (session) =>
        move(
          session,
          (event) => isMessage(event, 'DBIRTH'),
          (event) => isMessage(event, 'DDATA'),
        ),
    },
  ],
  'DBIRTH of connected devices follow the NBIRTH at once': [
    {
      name: 'after data',
      plant: (session) =>
        move(
          session,
          (event) => isMessage(event, 'DBIRTH'),
          (event) => isMessage(event, 'DDATA'),
        ),
    },
  ],
};

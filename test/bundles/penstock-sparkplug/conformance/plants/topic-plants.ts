import { metricOf, pick, willOf } from '../edits.ts';
import type { Plants } from '../edits.ts';
import type { Session } from '../session.ts';

const TOPICS: Readonly<Record<string, string>> = {
  NBIRTH: 'spBv1.0/Plant/NBIRTH/south',
  NDATA: 'spBv1.0/Other/NDATA/north',
  DBIRTH: 'spBv1.0/Plant/DBIRTH/south/boiler',
  DDATA: 'spBv1.0/Other/DDATA/north/boiler',
  DDEATH: 'spBv1.0/Plant/DDEATH/south/pump',
};

/** Defects that the rules of `../rules/topic-rules.ts` have to see. */
export const TOPIC_PLANTS: Plants = {
  'every topic has the namespace spBv1.0, group, verb and edge node': [
    {
      name: 'another namespace',
      plant: (session) => void (pick(session, 'NDATA').topic = 'spAv1.0/Plant/NDATA/north'),
    },
    {
      name: 'an unknown verb',
      plant: (session) => void (pick(session, 'NDATA').topic = 'spBv1.0/Plant/RECORD/north'),
    },
    { name: 'a sixth element', plant: (session) => void (pick(session, 'DDATA').topic += '/level') },
    { name: 'a state', plant: (session) => void (pick(session, 'DDATA').topic = 'spBv1.0/STATE/scada') },
  ],
  'group, edge node and device are texts without reserved characters': [
    { name: 'a +', plant: (session) => void (pick(session, 'DBIRTH').topic += '+') },
    {
      name: 'an empty device',
      plant: (session) => void (pick(session, 'DBIRTH').topic = 'spBv1.0/Plant/DBIRTH/north/'),
    },
    { name: 'half a character', plant: (session) => void (pick(session, 'DBIRTH').topic += '\ud800') },
  ],
  'topics of device messages name a device, those of the edge node none': [
    {
      name: 'DDATA without device',
      plant: (session) => void (pick(session, 'DDATA').topic = 'spBv1.0/Plant/DDATA/north'),
    },
    { name: 'NDATA with device', plant: (session) => void (pick(session, 'NDATA').topic += '/boiler') },
  ],
  ...Object.fromEntries(
    Object.entries(TOPICS).map(([verb, topic]) => [
      `${verb} has the topic of its edge node`,
      [{ name: 'of another one', plant: (session: Session) => void (pick(session, verb).topic = topic) }],
    ]),
  ),
  'NDEATH has the topic of its edge node, in the will and published': [
    {
      name: 'published elsewhere',
      plant: (session) => void (pick(session, 'NDEATH').topic = 'spBv1.0/Plant/NDEATH/south'),
    },
    {
      name: 'a will of another node',
      plant: (session) => void (willOf(session).topic = 'spBv1.0/Plant/NDEATH/south'),
    },
    {
      name: 'a will that is a birth',
      plant: (session) => void (willOf(session).topic = 'spBv1.0/Plant/NBIRTH/north'),
    },
  ],
  'no two devices of an edge node have the same name': [
    {
      name: 'two of them',
      plant: (session) => void (pick(session, 'DBIRTH', 1).topic = pick(session, 'DBIRTH').topic),
    },
  ],
  'names of devices and metrics differ in more than case': [
    {
      name: 'devices',
      plant: (session) => void (pick(session, 'DBIRTH', 1).topic = 'spBv1.0/Plant/DBIRTH/north/BOILER'),
    },
    { name: 'metrics', plant: (session) => void (metricOf(session, 'DBIRTH', 1).name = 'LEVEL') },
  ],
};

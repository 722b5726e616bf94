import { bdSeqMetric, demand, dropValue, metricOf, metricsOf, pick, remove } from '../edits.ts';
import type { Plants } from '../edits.ts';
import { isMessage } from '../session.ts';
import type { Session } from '../session.ts';

/** Defects that the rules of `../rules/birth-rules.ts` have to see. */
export const BIRTH_PLANTS: Plants = {
  'NBIRTH has the bdSeq of the will of its connection as INT64': [
    { name: 'another one', plant: (session) => void (metricOf(session, 'NBIRTH').longValue = '9') },
    { name: 'another datatype', plant: (session) => void (metricOf(session, 'NBIRTH').datatype = 3) },
    { name: 'none after a rebirth', plant: (session) => void metricsOf(session, 'NBIRTH', 1).shift() },
    {
      name: 'another one in a rebirth',
      plant: (session) => void (bdSeqMetric(pick(session, 'NBIRTH', 1).payload).longValue = '1'),
    },
    {
      name: 'another one in the NDEATH',
      plant: (session) => void (bdSeqMetric(pick(session, 'NDEATH').payload).longValue = '1'),
    },
  ],
  'NBIRTH has the metric Node Control/Rebirth, a Boolean that is false and has no alias': [
    { name: 'none', plant: (session) => void metricsOf(session, 'NBIRTH').splice(1, 1) },
    { name: 'true', plant: (session) => void (metricOf(session, 'NBIRTH', 1).booleanValue = true) },
    { name: 'an integer', plant: (session) => void (metricOf(session, 'NBIRTH', 1).datatype = 3) },
    { name: 'an alias', plant: (session) => void (metricOf(session, 'NBIRTH', 1).alias = '99') },
  ],
  ...Object.fromEntries(
    ['NBIRTH', 'DBIRTH'].map((verb) => [
      `each metric of ${verb} has name, datatype and value, or is null`,
      [
        { name: 'no name', plant: (session: Session) => void delete metricOf(session, verb).name },
        { name: 'no datatype', plant: (session: Session) => void delete metricOf(session, verb).datatype },
        { name: 'no value', plant: (session: Session) => dropValue(metricOf(session, verb)) },
        {
          name: 'null with a value',
          plant: (session: Session) => void (metricOf(session, verb).isNull = true),
        },
        {
          name: 'a value of another datatype',
          plant: (session: Session) => void (metricOf(session, verb).datatype = 11),
        },
      ],
    ]),
  ),
  'NDATA has only metrics of the last NBIRTH': [
    { name: 'an unknown alias', plant: (session) => void (metricOf(session, 'NDATA').alias = '77') },
    {
      name: 'an unknown name',
      made: { hasAliases: false },
      plant: (session) => void (metricOf(session, 'NDATA').name = 'x'),
    },
    { name: 'neither', plant: (session) => void delete metricOf(session, 'NDATA').alias },
  ],
  'DDATA has only metrics of the last DBIRTH': [
    {
      name: 'the alias of another device',
      plant: (session) => void (metricOf(session, 'DDATA').alias = '20'),
    },
    {
      name: 'an unknown name',
      made: { hasAliases: false },
      plant: (session) => void (metricOf(session, 'DDATA').name = 'x'),
    },
    { name: 'no birth', plant: (session) => remove(session, (event) => isMessage(event, 'DBIRTH')) },
  ],
  'metrics of births have a valid datatype': [
    { name: 'none', plant: (session) => void delete metricOf(session, 'DBIRTH').datatype },
    { name: '0', plant: (session) => void (metricOf(session, 'DBIRTH').datatype = 0) },
    { name: '35', plant: (session) => void (metricOf(session, 'NBIRTH').datatype = 35) },
  ],
  'aliases are unique in the births of an edge node': [
    { name: 'in one device', plant: (session) => void (metricOf(session, 'DBIRTH', 1).alias = '10') },
    {
      name: 'of two devices',
      plant: (session) => void (demand(metricsOf(session, 'DBIRTH', 1)[0], 'metric').alias = '10'),
    },
    { name: 'of edge node and device', plant: (session) => void (metricOf(session, 'DBIRTH').alias = '1') },
  ],
  'a metric has its name; with an alias, births have both and data the alias alone': [
    { name: 'a birth without name', plant: (session) => void delete metricOf(session, 'DBIRTH').name },
    { name: 'data with both', plant: (session) => void (metricOf(session, 'DDATA').name = 'level') },
    { name: 'data with neither', plant: (session) => void delete metricOf(session, 'DDATA').alias },
    {
      name: 'data with the name of a metric that has an alias',
      plant(session) {
        delete metricOf(session, 'DDATA').alias;
        metricOf(session, 'DDATA').name = 'level';
      },
    },
  ],
};

import { metricOf, metricsOf, propertiesOf, shift, tableOf } from '../edits.ts';
import type { Plants } from '../edits.ts';

/** Defects that the rules of `../rules/value-rules.ts` have to see. */
export const VALUE_PLANTS: Plants = {
  'every metric of births and data has a timestamp': [
    { name: 'none in a birth', plant: (session) => void delete metricOf(session, 'NBIRTH').timestamp },
    { name: 'none in data', plant: (session) => void delete metricOf(session, 'DDATA').timestamp },
  ],
  'metrics of data have no datatype': [
    { name: 'one', plant: (session) => void (metricOf(session, 'DDATA').datatype = 10) },
  ],
  'values that are not historical are in order of time in NBIRTH and NDATA': [
    {
      name: 'back in time',
      plant: (session) =>
        void metricsOf(session, 'NDATA').push({ alias: '1', timestamp: '1000', intValue: 7 }),
    },
  ],
  'values that are not historical are in order of time in DBIRTH and DDATA': [
    {
      name: 'back in time',
      plant: (session) =>
        void metricsOf(session, 'DDATA').push({ alias: '10', timestamp: '1000', doubleValue: 7 }),
    },
    {
      name: 'an older value of another metric',
      plant: (session) =>
        void metricsOf(session, 'DDATA').push({ alias: '11', timestamp: '1000', stringValue: 'on' }),
    },
    { name: 'an older value in a birth', plant: (session) => shift(metricOf(session, 'DBIRTH', 1), -1) },
  ],
  'NDATA has only values that changed': [
    { name: 'the value of the birth', plant: (session) => void (metricOf(session, 'NDATA').intValue = 1) },
  ],
  'DDATA has only values that changed': [
    { name: 'the value before', plant: (session) => void (metricOf(session, 'DDATA').doubleValue = -1) },
    {
      name: 'twice in a message',
      plant: (session) => void metricsOf(session, 'DDATA').push({ ...metricOf(session, 'DDATA') }),
    },
    {
      name: 'the value before, without its quality',
      plant(session) {
        metricOf(session, 'DDATA').doubleValue = -1;
        delete metricOf(session, 'DDATA').properties;
      },
    },
  ],
  'a set of properties has as many keys as values': [
    { name: 'a key too many', plant: (session) => void propertiesOf(session, 'DBIRTH').keys.push('more') },
    {
      name: 'a value too many',
      plant: (session) => void propertiesOf(session, 'DDATA').values.push({ type: 3, intValue: 1 }),
    },
  ],
  'every property has a valid datatype': [
    { name: 'none', plant: (session) => void delete propertiesOf(session, 'DBIRTH').values[1]?.type },
    {
      name: 'that of a table',
      plant: (session) => void (propertiesOf(session, 'DBIRTH').values[1] = { type: 16, stringValue: 'x' }),
    },
  ],
  'Quality is a 32-bit integer of 0, 192 or 500': [
    {
      name: 'another number',
      plant: (session) => void (propertiesOf(session, 'DDATA').values[0] = { type: 3, intValue: 64 }),
    },
    {
      name: 'another datatype',
      plant: (session) => void (propertiesOf(session, 'DDATA').values[0] = { type: 7, intValue: 192 }),
    },
    {
      name: 'another field',
      plant: (session) => void (propertiesOf(session, 'DDATA').values[0] = { type: 3, longValue: '192' }),
    },
  ],
  'a data set has as many types as columns, and says how many': [
    { name: 'no types', plant: (session) => void delete tableOf(session).types },
    { name: 'a column too many', plant: (session) => void tableOf(session).columns?.push('more') },
    { name: 'a wrong number', plant: (session) => void (tableOf(session).numOfColumns = '3') },
    { name: 'no number', plant: (session) => void delete tableOf(session).numOfColumns },
    { name: 'a short row', plant: (session) => void tableOf(session).rows?.[0]?.elements?.pop() },
  ],
  'columns of data sets have basic datatypes, and elements values of them': [
    { name: 'an array', plant: (session) => void (tableOf(session).types = [12, 31]) },
    {
      name: 'bytes',
      plant: (session) => void (tableOf(session).rows = [{ elements: [{ bytesValue: 'AA==' }] }]),
    },
    {
      name: 'two values',
      plant: (session) => void (tableOf(session).rows = [{ elements: [{ intValue: 1, stringValue: '1' }] }]),
    },
  ],
  'no template is defined or used': [
    { name: 'a definition', plant: (session) => void (metricOf(session, 'NBIRTH').datatype = 19) },
    { name: 'an instance', plant: (session) => void (metricOf(session, 'DDATA').templateValue = {}) },
  ],
};

import type { Rule } from '../rule.ts';
import { birthsOf, deviceOf, isMessage, messagesOf } from '../session.ts';
import type { DataSet, Metric, PropertyValue, Session } from '../session.ts';
import {
  DATATYPE,
  describeValue,
  elementsOf,
  isBasicDatatype,
  isPropertyDatatype,
  propertiesOf,
  valueFieldsOf,
} from '../values.ts';

const QUALITIES = new Set([0, 192, 500]);
const BIRTHS_AND_DATA = ['NBIRTH', 'DBIRTH', 'NDATA', 'DDATA'];
const ELEMENT_FIELDS = new Set([
  'intValue',
  'longValue',
  'floatValue',
  'doubleValue',
  'booleanValue',
  'stringValue',
]);

/** Metrics: times, order, change, properties, tables. */
export const VALUE_RULES: readonly Rule[] = [
  {
    title: 'every metric of births and data has a timestamp',
    kept: 'A sample has the time of the device, or else that of the gateway.',
    statements: ['payloads-name-birth-data-requirement'],
    check(session, findings) {
      for (const { metric, topic } of metricsOf(session, ...BIRTHS_AND_DATA)) {
        findings.expect(Number(metric.timestamp) > 0, `${topic}: ${JSON.stringify(metric)}`);
      }
    },
  },
  {
    title: 'metrics of data have no datatype',
    kept: 'Only births have datatypes.',
    statements: ['payloads-metric-datatype-not-req'],
    check(session, findings) {
      for (const { metric, topic } of metricsOf(session, 'NDATA', 'DDATA')) {
        findings.expect(metric.datatype === undefined, topic);
      }
    },
  },
  ...[
    { verbs: ['NBIRTH', 'NDATA'], statements: ['operational-behavior-data-publish-nbirth-order'] },
    { verbs: ['DBIRTH', 'DDATA'], statements: ['operational-behavior-data-publish-dbirth-order'] },
  ].map(({ verbs, statements }): Rule => ({
    title: `values that are not historical are in order of time in ${verbs.join(' and ')}`,
    kept: 'The metrics of a message are sorted by time.',
    statements,
    check(session, findings) {
      for (const { topic, payload } of messagesOf(session.events, ...verbs)) {
        let newest = 0;
        for (const { isHistorical, timestamp } of payload?.metrics ?? []) {
          if (isHistorical === true) continue;
          const time = Number(timestamp);
          findings.expect(time >= newest, `${topic}: ${time} after ${newest}`);
          newest = time;
        }
      }
    },
  })),
  ...[
    {
      verbs: ['NBIRTH', 'NDATA'],
      statements: ['topics-ndata-payload', 'operational-behavior-data-publish-nbirth-change'],
    },
    {
      verbs: ['DBIRTH', 'DDATA'],
      statements: [
        'topics-ddata-payload',
        'operational-behavior-data-publish-dbirth-change',
        'principles-rbe-recommended',
      ],
    },
  ].map(({ verbs, statements }): Rule => ({
    title: `${verbs[1] ?? ''} has only values that changed`,
    kept: 'A recorder with `onChange` takes only values that changed. One with an interval sends each of its samples, by choice.',
    statements,
    check(session, findings) {
      for (const run of birthsOf(session)) {
        const last = new Map<string, string>();
        for (const message of messagesOf(run, ...verbs)) {
          for (const metric of message.payload?.metrics ?? []) {
            if (metric.isHistorical === true) continue;
            const keys = [metric.name, metric.alias].flatMap((key) =>
              key === undefined ? [] : [`${deviceOf(message) ?? ''}/${key}`],
            );
            const before = keys.map((key) => last.get(key)).find((each) => each !== undefined);
            const value = describeChange(metric, before);
            if (isMessage(message, verbs[1] ?? ''))
              findings.expect(before !== value, `${message.topic}: ${value}`);
            for (const key of keys) last.set(key, value);
          }
        }
      }
    },
  })),
  {
    title: 'a set of properties has as many keys as values',
    kept: 'Keys and values are written in pairs.',
    statements: ['payloads-propertyset-keys-array-size', 'payloads-propertyset-values-array-size'],
    check(session, findings) {
      for (const { metric, topic } of metricsOf(session, ...BIRTHS_AND_DATA)) {
        if (metric.properties === undefined) continue;
        const { keys = [], values = [] } = metric.properties;
        findings.expect(keys.length > 0 && keys.length === values.length, topic);
      }
    },
  },
  {
    title: 'every property has a valid datatype',
    kept: 'The property is declared with its datatype, which goes with it in every message.',
    statements: [
      'payloads-metric-propertyvalue-type-type',
      'payloads-metric-propertyvalue-type-value',
      'payloads-metric-propertyvalue-type-req',
    ],
    check(session, findings) {
      for (const { value, topic } of allProperties(session)) {
        findings.expect(isPropertyDatatype(value?.type), `${topic}: ${value?.type ?? 'none'}`);
      }
    },
  },
  {
    title: 'Quality is a 32-bit integer of 0, 192 or 500',
    kept: 'GOOD is 192, BAD is 0, UNCERTAIN is 500, as is a value that is not known yet.',
    statements: ['payloads-propertyset-quality-value-type', 'payloads-propertyset-quality-value-value'],
    check(session, findings) {
      for (const { key, value, topic } of allProperties(session)) {
        if (key !== 'Quality') continue;
        const isKnown = value?.type === DATATYPE.Int32 && QUALITIES.has(value.intValue ?? -1);
        findings.expect(isKnown && valueFieldsOf(value).length === 1, `${topic}: ${JSON.stringify(value)}`);
      }
    },
  },
  {
    title: 'a data set has as many types as columns, and says how many',
    kept: 'Names and types are listed from the columns, which are those of the channels of the asset.',
    statements: [
      'payloads-dataset-column-size',
      'payloads-dataset-column-num-headers',
      'payloads-dataset-types-def',
      'payloads-dataset-types-num',
      'payloads-dataset-parameter-type-req',
    ],
    check(session, findings) {
      for (const { columns = [], types = [], rows = [], numOfColumns } of dataSetsOf(session)) {
        findings.expect(
          columns.length > 0 && columns.length === types.length && numOfColumns === String(columns.length),
          `${numOfColumns ?? 'no'} columns: ${columns.join(', ')}; ${types.join(', ')}`,
        );
        for (const { elements = [] } of rows)
          findings.expect(elements.length === columns.length, 'a short row');
      }
    },
  },
  {
    title: 'columns of data sets have basic datatypes, and elements values of them',
    kept: 'Channels with bytes and arrays stay metrics of their own. An element that is null has no value.',
    statements: [
      'payloads-dataset-types-type',
      'payloads-dataset-types-value',
      'payloads-template-dataset-value',
    ],
    check(session, findings) {
      for (const set of dataSetsOf(session)) {
        findings.expect(
          (set.types ?? []).every((type) => isBasicDatatype(type)),
          String(set.types),
        );
        for (const element of elementsOf(set)) {
          const fields = valueFieldsOf(element);
          findings.expect(
            fields.length <= 1 && fields.every((field) => ELEMENT_FIELDS.has(field)),
            JSON.stringify(element),
          );
        }
      }
    },
  },
  {
    title: 'no template is defined or used',
    kept: 'Templates are optional, and not sent.',
    statements: [
      'topics-nbirth-templates',
      'payloads-template-definition-nbirth-only',
      'payloads-template-definition-is-definition',
      'payloads-template-definition-ref',
      'payloads-template-definition-members',
      'payloads-template-definition-nbirth',
      'payloads-template-definition-parameters',
      'payloads-template-definition-parameters-default',
      'payloads-template-instance-is-definition',
      'payloads-template-instance-ref',
      'payloads-template-instance-members',
      'payloads-template-instance-members-birth',
      'payloads-template-instance-members-data',
      'payloads-template-instance-parameters',
      'payloads-template-version',
      'payloads-template-ref-definition',
      'payloads-template-ref-instance',
      'payloads-template-is-definition',
      'payloads-template-is-definition-definition',
      'payloads-template-is-definition-instance',
      'payloads-template-parameter-name-required',
      'payloads-template-parameter-name-type',
      'payloads-template-parameter-value-type',
      'payloads-template-parameter-type-value',
      'payloads-template-parameter-type-req',
      'payloads-template-parameter-value',
    ],
    check(session, findings) {
      for (const { metric, topic } of metricsOf(session, ...BIRTHS_AND_DATA)) {
        findings.expect(
          metric.datatype !== DATATYPE.Template && metric.templateValue === undefined,
          `${topic}: ${metric.name ?? ''}`,
        );
      }
    },
  },
];

function metricsOf(
  { events }: Session,
  ...verbs: readonly string[]
): readonly { readonly metric: Metric; readonly topic: string }[] {
  return messagesOf(events, ...verbs).flatMap(({ payload, topic }) =>
    (payload?.metrics ?? []).map((metric) => ({ metric, topic })),
  );
}

function allProperties(
  session: Session,
): readonly { readonly key: string; readonly value: PropertyValue | undefined; readonly topic: string }[] {
  return metricsOf(session, ...BIRTHS_AND_DATA).flatMap(({ metric, topic }) =>
    propertiesOf(metric).map(([key, value]) => ({ key, value, topic })),
  );
}

function dataSetsOf(session: Session): readonly DataSet[] {
  return metricsOf(session, ...BIRTHS_AND_DATA).flatMap(({ metric }) =>
    metric.datasetValue === undefined ? [] : [metric.datasetValue],
  );
}

/** The value with its quality, which is that of the value before unless it is sent. */
function describeChange(metric: Metric, before: string | undefined): string {
  const quality =
    propertiesOf(metric).find(([key]) => key === 'Quality')?.[1]?.intValue ?? before?.split(' ')[0];
  return `${quality ?? 'none'} ${describeValue(metric)}`;
}

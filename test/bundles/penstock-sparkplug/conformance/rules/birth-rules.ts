import type { Rule } from '../rule.ts';
import { birthsOf, connectionsOf, deviceOf, isMessage, messagesOf } from '../session.ts';
import type { Metric, PublishEvent, SessionEvent } from '../session.ts';
import { bdSeqOf, DATATYPE, findMetric, holdsOneValue, isDatatype } from '../values.ts';

const REBIRTH = 'Node Control/Rebirth';

/** What births declare, and what data may refer to. */
export const BIRTH_RULES: readonly Rule[] = [
  {
    title: 'NBIRTH has the bdSeq of the will of its connection as INT64',
    kept: 'Will and NBIRTH of a connection take the number from the same field.',
    statements: [
      'topics-nbirth-bdseq-included',
      'topics-nbirth-bdseq-matching',
      'payloads-nbirth-bdseq',
      'payloads-nbirth-bdseq-repeat',
      'payloads-ndeath-bdseq',
      'message-flow-edge-node-birth-publish-nbirth-payload-bdSeq',
      'operational-behavior-data-commands-rebirth-action-3',
    ],
    check(session, findings) {
      for (const events of connectionsOf(session)) {
        const connect = events.find(({ type }) => type === 'connect');
        if (connect?.type !== 'connect') continue;
        const expected = bdSeqOf(connect.will?.payload);
        for (const { payload } of messagesOf(events, 'NBIRTH', 'NDEATH')) {
          const bdSeq = bdSeqOf(payload);
          findings.expect(
            bdSeq !== undefined && bdSeq === expected,
            `bdSeq ${bdSeq ?? 'missing'}, will ${expected ?? 'missing'}`,
          );
        }
      }
    },
  },
  {
    title: `NBIRTH has the metric ${REBIRTH}, a Boolean that is false and has no alias`,
    kept: 'It is part of every NBIRTH, without an alias.',
    statements: [
      'topics-nbirth-rebirth-metric',
      'payloads-nbirth-rebirth-req',
      'operational-behavior-data-commands-rebirth-name',
      'operational-behavior-data-commands-rebirth-name-aliases',
      'operational-behavior-data-commands-rebirth-datatype',
      'operational-behavior-data-commands-rebirth-value',
    ],
    check(session, findings) {
      for (const { payload } of messagesOf(session.events, 'NBIRTH')) {
        const metric = findMetric(payload, REBIRTH);
        findings.expect(
          metric?.datatype === DATATYPE.Boolean &&
            metric.booleanValue === false &&
            metric.alias === undefined,
          JSON.stringify(metric),
        );
      }
    },
  },
  ...[
    {
      verb: 'NBIRTH',
      statements: ['topics-nbirth-metrics', 'operational-behavior-data-publish-nbirth-values'],
    },
    {
      verb: 'DBIRTH',
      statements: ['topics-dbirth-metrics', 'operational-behavior-data-publish-dbirth-values'],
    },
  ].map(({ verb, statements }): Rule => ({
    title: `each metric of ${verb} has name, datatype and value, or is null`,
    kept: 'A metric without value is null, and keeps its datatype.',
    statements,
    check(session, findings) {
      for (const message of messagesOf(session.events, verb)) {
        for (const metric of metricsOf(message)) {
          findings.expect(
            metric.name !== undefined &&
              metric.name !== '' &&
              metric.datatype !== undefined &&
              holdsOneValue(metric, metric.datatype),
            `${message.topic}: ${JSON.stringify(metric)}`,
          );
        }
      }
    },
  })),
  ...[
    {
      verbs: ['NBIRTH', 'NDATA'],
      statements: ['topics-nbirth-metric-reqs', 'operational-behavior-data-publish-nbirth'],
    },
    {
      verbs: ['DBIRTH', 'DDATA'],
      statements: ['topics-dbirth-metric-reqs', 'operational-behavior-data-publish-dbirth'],
    },
  ].map(({ verbs: [birth = '', data = ''], statements }): Rule => ({
    title: `${data} has only metrics of the last ${birth}`,
    kept: 'A sample of a channel that is not declared yet waits for new births.',
    statements,
    check(session, findings) {
      for (const run of birthsOf(session)) {
        for (const { message, declared } of declarationsOf(run, birth, data)) {
          for (const metric of metricsOf(message)) {
            findings.expect(
              declared.some((each) => isSame(each, metric)),
              `${message.topic}: ${metric.name ?? metric.alias ?? 'neither name nor alias'}`,
            );
          }
        }
      }
    },
  })),
  {
    title: 'metrics of births have a valid datatype',
    kept: 'A table maps value types to datatypes.',
    statements: [
      'payloads-metric-datatype-req',
      'payloads-metric-datatype-value',
      'payloads-metric-datatype-value-type',
    ],
    check(session, findings) {
      for (const message of messagesOf(session.events, 'NBIRTH', 'DBIRTH')) {
        for (const { name, datatype } of metricsOf(message)) {
          findings.expect(isDatatype(datatype), `${message.topic}: ${name ?? ''} ${datatype ?? 'none'}`);
        }
      }
    },
  },
  {
    title: 'aliases are unique in the births of an edge node',
    kept: 'One counter gives the aliases of all devices.',
    statements: ['payloads-alias-uniqueness'],
    check(session, findings) {
      for (const run of birthsOf(session)) {
        const owners = new Map<string, string>();
        for (const message of messagesOf(run, 'NBIRTH', 'DBIRTH')) {
          for (const { alias, name = '' } of metricsOf(message)) {
            if (alias === undefined) continue;
            const owner = `${deviceOf(message) ?? ''}/${name}`;
            findings.expect((owners.get(alias) ?? owner) === owner, `alias ${alias} of ${owner}`);
            owners.set(alias, owner);
          }
        }
      }
    },
  },
  {
    title: 'a metric has its name; with an alias, births have both and data the alias alone',
    kept: 'Every metric but bdSeq and Node Control/Rebirth has an alias.',
    statements: [
      'payloads-name-requirement',
      'payloads-alias-birth-requirement',
      'payloads-alias-data-cmd-requirement',
    ],
    check(session, findings) {
      for (const run of birthsOf(session)) {
        const aliases = new Set<string>();
        for (const message of messagesOf(run, 'NBIRTH', 'DBIRTH', 'NDATA', 'DDATA')) {
          const isBirth = isMessage(message, 'NBIRTH', 'DBIRTH');
          for (const { name, alias } of metricsOf(message)) {
            if (isBirth && alias !== undefined && name !== undefined)
              aliases.add(`${deviceOf(message) ?? ''}/${name}`);
            const hasAlias = aliases.has(`${deviceOf(message) ?? ''}/${name ?? ''}`);
            const holds = isBirth
              ? name !== undefined
              : (name === undefined) !== (alias === undefined) && !hasAlias;
            findings.expect(holds, `${message.topic}: name ${name ?? 'none'}, alias ${alias ?? 'none'}`);
          }
        }
      }
    },
  },
];

function metricsOf({ payload }: PublishEvent): readonly Metric[] {
  return payload?.metrics ?? [];
}

function isSame(one: Metric, other: Metric): boolean {
  return other.name === undefined
    ? other.alias !== undefined && other.alias === one.alias
    : other.name === one.name;
}

/** Lists the messages with data, each with the metrics of the last birth of its edge node or device. */
function declarationsOf(
  run: readonly SessionEvent[],
  birth: string,
  data: string,
): readonly { readonly message: PublishEvent; readonly declared: readonly Metric[] }[] {
  const declared = new Map<string, readonly Metric[]>();
  return messagesOf(run, birth, data, 'DDEATH').flatMap((message) => {
    const device = deviceOf(message) ?? '';
    if (isMessage(message, data)) return [{ message, declared: declared.get(device) ?? [] }];
    declared.set(device, isMessage(message, birth) ? metricsOf(message) : []);
    return [];
  });
}

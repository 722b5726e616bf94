import { BIRTH_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/birth-rules.ts';
import { CONNECTION_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/connection-rules.ts';
import { END_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/end-rules.ts';
import { HOST_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/host-rules.ts';
import { MESSAGE_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/message-rules.ts';
import { TOPIC_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/topic-rules.ts';
import { VALUE_RULES } from '../../bundles/penstock-sparkplug/conformance/rules/value-rules.ts';
import type { Rule } from '../../bundles/penstock-sparkplug/conformance/rule.ts';
import { listStatements, WITHOUT_TEST } from '../../bundles/penstock-sparkplug/conformance/statements.ts';
import { formatTable } from './markdown.ts';

const SECTIONS: Readonly<Record<string, readonly Rule[]>> = {
  Topics: TOPIC_RULES,
  Connections: CONNECTION_RULES,
  Births: BIRTH_RULES,
  Messages: MESSAGE_RULES,
  Values: VALUE_RULES,
  'Primary host': HOST_RULES,
  'Deaths and rebirths': END_RULES,
};

/** Returns the tables of the statements of Sparkplug by the section of the page that shows them. */
export function writeConformanceTables(): Readonly<Record<string, string>> {
  const sections: Record<string, string> = {};
  for (const [section, rules] of Object.entries(SECTIONS)) sections[section] = writeRules(rules);
  const without = Object.entries(WITHOUT_TEST).map(([name, reason]) => [`\`tck-id-${name}\``, reason]);
  return {
    ...sections,
    'Not tested': formatTable({ headings: ['statement', 'reason'], rows: without }),
    'Other roles': formatTable({
      headings: ['role', 'statements', 'reason'],
      rows: [
        [
          'host application',
          String(listStatements('host').length),
          'The gateway is an edge node, no host application.',
        ],
        ['MQTT server', String(listStatements('server').length), 'The broker is another product.'],
      ],
    }),
  };
}

function writeRules(rules: readonly Rule[]): string {
  return formatTable({
    headings: ['statement', 'kept by', 'test'],
    rows: rules.flatMap(({ statements, kept, title }) =>
      statements.map((name) => [`\`tck-id-${name}\``, kept, title]),
    ),
  });
}

import { readAlerts } from '../monitoring-files.ts';
import { formatTable } from './markdown.ts';

// In a table a label is a word in capitals, as in the help of a command.
const LABEL = /\{\{ \$labels\.(\w+) \}\}/g;
const VALUE = /\{\{ \$value(?: \| \w+)? \}\}/g;

/** Returns the table of alerts: what is wrong, and what an operator does. */
export function writeAlertTables(): Readonly<Record<string, string>> {
  const rows = readAlerts().map(({ alert, for: duration, labels, annotations }) => [
    `\`${alert}\``,
    labels['severity'] ?? '',
    duration ?? 'at once',
    toPattern(annotations['summary'] ?? ''),
    annotations['action'] ?? '',
  ]);
  return { alerts: formatTable({ headings: ['alert', 'severity', 'after', 'meaning', 'what to do'], rows }) };
}

function toPattern(summary: string): string {
  return summary
    .replaceAll(LABEL, (_, label: string) => (label === 'instance' ? 'GATEWAY' : label.toUpperCase()))
    .replaceAll(VALUE, 'N');
}

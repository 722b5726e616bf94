import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { LOG_LEVELS } from '../../../daemon/base/logger.ts';
import { formatTable, toSentence } from './markdown.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const LOG_CALL = new RegExp(String.raw`\.(${LOG_LEVELS.join('|')})\(\s*'([\w.]+)'`, 'g');
// Metrics of the machine are declared without a type: all are gauges.
const METRIC =
  /name: '((?:nodejs|penstock|process)_\w+)',\s*(?:type: '(\w+)',\s*)?help:\s*'((?:[^'\\]|\\.)*)'/g;

/** Returns the tables of metrics and log events by name, from the calls in the sources. */
export function writeOperationTables(): Readonly<Record<string, string>> {
  const sources = globSync(['daemon/**/*.ts', 'drivers/**/*.ts'], {
    cwd: ROOT,
    exclude: ['daemon/console/**'],
  })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
  return { metrics: writeMetrics(sources), 'log events': writeEvents(sources) };
}

interface Source {
  readonly file: string;
  readonly text: string;
}

function writeMetrics(sources: readonly Source[]): string {
  const rows = sources.flatMap(({ text }) =>
    [...text.matchAll(METRIC)].map(([, name = '', type = 'gauge', help = '']) => [
      `\`${name}\``,
      type,
      toSentence(help.replaceAll(String.raw`\'`, "'")),
    ]),
  );
  return formatTable({ headings: ['metric', 'type', 'meaning'], rows: sortRows(rows) });
}

function writeEvents(sources: readonly Source[]): string {
  const levels = new Map<string, Set<string>>();
  const modules = new Map<string, Set<string>>();
  for (const { file, text } of sources) {
    for (const [, level = '', event = ''] of text.matchAll(LOG_CALL)) {
      levels.set(event, (levels.get(event) ?? new Set()).add(level));
      modules.set(event, (modules.get(event) ?? new Set()).add(nameModule(file)));
    }
  }
  const rows = [...levels].map(([event, ofEvent]) => [
    `\`${event}\``,
    [...ofEvent].join(', '),
    [...(modules.get(event) ?? [])].map((module) => `\`${module}\``).join(', '),
  ]);
  return formatTable({ headings: ['event', 'level', 'module'], rows: sortRows(rows) });
}

/** Returns the module of a source file, for example `server/http`. */
function nameModule(file: string): string {
  const folders = path.dirname(file).split('/').slice(0, 3);
  return (folders.length > 1 && folders[0] === 'daemon' ? folders.slice(1) : folders).join('/');
}

function sortRows(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return rows.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
}

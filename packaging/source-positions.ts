import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = path.resolve(import.meta.dirname, '..');
const PROGRAMS = path.join(ROOT, 'build/program');
// What a trace of an installed gateway has, and of one in a checkout: `file:///usr/lib/penstock/daemon/main.js:3:7`.
const POSITION = /[^\s()"']*?\/((?:daemon|node_modules)\/[\w./@-]+?\.js):(\d+):(\d+)/g;

if (import.meta.main) process.stdout.write(toSourcePositions(await text(process.stdin), PROGRAMS));

/**
 * Replaces the positions in stack traces of built programs with those in the sources, such as `daemon/main.ts:40:5`.
 * Others stay as they are.
 *
 * @param trace any text that contains traces
 * @param programs folder of the built programs of the same version, with their source maps
 */
export function toSourcePositions(trace: string, programs: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return trace.replaceAll(POSITION, (position, name: string, line: string, column: string) => {
    const file = path.join(programs, name);
    if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
    // Lines and columns of a trace begin at one, those of a map at zero.
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return position;
    const source = path.resolve(path.dirname(file), entry.originalSource);
    return `${path.relative(ROOT, source)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function readMap(file: string): SourceMap | undefined {
  return existsSync(file)
    ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload)
    : undefined;
}

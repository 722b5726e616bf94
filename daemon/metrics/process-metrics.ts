import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/**
 * Describes the process under the names that Prometheus gives such values; nothing is done between two collections.
 *
 * The metrics that the library has ready look at the event loop a hundred times a second: most of what an idle gateway
 * would do.
 */
export function describeProcess(register: Registry): void {
  const gauges: readonly (readonly [name: string, help: string, read: () => number | undefined])[] = [
    [
      'process_resident_memory_bytes',
      'Memory of the process that is in use',
      () => process.memoryUsage.rss(),
    ],
    ['process_heap_bytes', 'Heap of JavaScript', () => process.memoryUsage().heapTotal],
    ['process_open_fds', 'Open file descriptors', countDescriptors],
    ['process_max_fds', 'File descriptors that may be open', readDescriptorLimit],
    [
      'process_start_time_seconds',
      'When the process began, in seconds since 1970',
      () => performance.timeOrigin / 1000,
    ],
  ];
  for (const [name, help, read] of gauges) {
    register.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          const value = read();
          if (value === undefined) this.remove();
          else this.set(value);
        },
      }),
    );
  }
  const counters: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ['process_cpu_seconds_total', 'Processor time of all threads', readProcessorSeconds],
    [
      'nodejs_eventloop_active_seconds_total',
      'Time in which the event loop did not wait',
      () => performance.eventLoopUtilization().active / 1000,
    ],
  ];
  for (const [name, help, read] of counters) {
    register.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    );
  }
}

function readProcessorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function countDescriptors(): number | undefined {
  try {
    // One of them is that of the directory itself.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

function readDescriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

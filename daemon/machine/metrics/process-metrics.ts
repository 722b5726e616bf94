import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import type { Metric, Sample } from './exposition.ts';

/** Process metrics under the standard names of Prometheus. */
export const processMetrics: readonly Metric[] = [
  {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'CPU time of all threads',
    read() {
      const { user, system } = process.cpuUsage();
      return one((user + system) / 1e6);
    },
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of the process',
    read: () => one(process.memoryUsage.rss()),
  },
  {
    name: 'process_heap_bytes',
    type: 'gauge',
    help: 'JavaScript heap',
    read: () => one(process.memoryUsage().heapTotal),
  },
  {
    name: 'process_open_fds',
    type: 'gauge',
    help: 'Open file descriptors',
    // One of them belongs to the directory itself.
    read: () => readOrNothing(() => readdirSync('/proc/self/fd').length - 1),
  },
  {
    name: 'process_max_fds',
    type: 'gauge',
    help: 'Maximum number of open file descriptors',
    read: () =>
      readOrNothing(() => {
        const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
        return limit === undefined ? undefined : Number(limit);
      }),
  },
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'Start time of the process, in seconds since 1970',
    read: () => one(performance.timeOrigin / 1000),
  },
  {
    name: 'nodejs_eventloop_active_seconds_total',
    type: 'counter',
    help: 'Time in which the event loop was busy',
    read: () => one(performance.eventLoopUtilization().active / 1000),
  },
];

function one(value: number): readonly Sample[] {
  return [{ value }];
}

function readOrNothing(read: () => number | undefined): readonly Sample[] {
  try {
    const value = read();
    return value === undefined ? [] : one(value);
  } catch {
    return [];
  }
}

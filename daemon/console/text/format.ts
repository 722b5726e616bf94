import { signal } from '@preact/signals';

import { writeExtreme } from './decimals.ts';
import { language } from './language.ts';

/** True if times are shown in UTC instead of the browser's time zone. */
export const isUtc = signal(localStorage.getItem('penstock.utc') === 'true');

/** Selects UTC or the browser's time zone; persists over reloads. */
export function chooseUtc(next: boolean): void {
  isUtc.value = next;
  localStorage.setItem('penstock.utc', String(next));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatWith(ms: number, options: Intl.DateTimeFormatOptions): string {
  const zone = isUtc.value ? { timeZone: 'UTC' } : {};
  const key = JSON.stringify([language.value, zone, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale(), { ...options, ...zone });
  formats.set(key, known);
  return known.format(ms);
}

// English with a 24-hour clock, as is usual in plants.
function locale(): string {
  return language.value === 'de' ? 'de-DE' : 'en-GB';
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** Formats a time; with its date unless it is today. */
export function formatTime(ms: number, nowMs: number = Date.now()): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const isToday = formatWith(ms, day) === formatWith(nowMs, day);
  return isToday
    ? formatWith(ms, CLOCK)
    : formatWith(ms, { day: 'numeric', month: 'short', ...yearOf(ms, nowMs), ...CLOCK });
}

/** Formats a tick of a time axis: seconds only if ticks are that close, and the day at midnight. */
export function formatTick(ms: number, stepMs: number): string {
  const minute = { hour: '2-digit', minute: '2-digit' } as const;
  if (stepMs < 60_000) return formatWith(ms, CLOCK);
  const isMidnight = /^(?:00|24):00$/.test(formatWith(ms, minute));
  return isMidnight || stepMs >= 86_400_000
    ? formatWith(ms, { day: 'numeric', month: 'short' })
    : formatWith(ms, minute);
}

/** Formats a day; with its year unless it is the current one. */
export function formatDay(ms: number, nowMs: number = Date.now()): string {
  return formatWith(ms, { day: 'numeric', month: 'short', ...yearOf(ms, nowMs) });
}

function yearOf(ms: number, nowMs: number): Intl.DateTimeFormatOptions {
  const year = { year: 'numeric' } as const;
  return formatWith(ms, year) === formatWith(nowMs, year) ? {} : year;
}

/** Returns the name of the current time zone with its UTC offset. */
export function zoneName(): string {
  if (isUtc.value) return 'UTC';
  // Intl formats with an offset load the names of all zones, which is slow.
  const minutes = -new Date().getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = [hours, rest].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${zone} ${minutes < 0 ? '−' : '+'}${offset}`;
}

/** Formats a duration in its two largest units, for example `2 min 5 s`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joinSpan(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joinSpan(hours, 'h', minutes % 60, 'min');
  return joinSpan(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function joinSpan(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Formats the time left of a countdown, for example `1:05`. */
export function formatLeft(ms: number): string {
  const seconds = Math.ceil(Math.max(0, ms) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size in the unit with the fewest digits, for example `3.2 MiB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** step;
  return `${formatNumber(size, step === 0 || size >= 100 ? 0 : 1)} ${BYTE_UNITS[step] ?? ''}`;
}

/** Formats a count with the digit grouping of the language. */
export function formatCount(value: number): string {
  return numberFormat(0, 3).format(value);
}

/**
 * Formats a number with fixed decimals, digit grouping and a true minus sign.
 *
 * @param value a string keeps every digit
 */
export function formatNumber(value: number | string, decimals: number): string {
  if (typeof value === 'string') return groupDigits(value);
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 10 ** -decimals / 2)) {
    return groupDigits(writeExtreme(value, language.value === 'de' ? ',' : '.'));
  }
  return toTrueMinus(numberFormat(decimals, decimals).format(value));
}

const numberFormats = new Map<string, Intl.NumberFormat>();

// Creating a format takes a hundred times as long as using it.
function numberFormat(fewest: number, most: number): Intl.NumberFormat {
  const key = `${language.value} ${fewest} ${most}`;
  const options = { minimumFractionDigits: fewest, maximumFractionDigits: most };
  const known = numberFormats.get(key) ?? new Intl.NumberFormat(locale(), options);
  numberFormats.set(key, known);
  return known;
}

function groupDigits(digits: string): string {
  return toTrueMinus(digits.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, separatorOfGroups()));
}

/** Removes the digit grouping of the current language from a whole number; returns other texts unchanged. */
export function ungroupDigits(text: string): string {
  const separator = separatorOfGroups();
  const isGrouped = new RegExp(`^[+-]?\\d{1,3}(?:[${separator}]\\d{3})+$`).test(text);
  return isGrouped ? text.replaceAll(separator, '') : text;
}

function separatorOfGroups(): string {
  return language.value === 'de' ? '.' : ',';
}

function toTrueMinus(text: string): string {
  return text.replace(/^-/, '\u2212');
}

const UNITS: Readonly<Record<string, string>> = { degC: '°C', degF: '°F', degK: 'K', pct: '%', percent: '%' };

/** Returns the common symbol of a unit. */
export function formatUnit(unit: string | undefined): string {
  return unit === undefined ? '' : (UNITS[unit] ?? unit);
}

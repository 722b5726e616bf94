import type { JSX } from 'preact';

const SHAPES = {
  attention: 'M8 2 14.5 13.5H1.5ZM8 6.5V10M8 11.6V12',
  fault: 'M3 3 13 13M13 3 3 13',
  info: 'M8 1.8A6.2 6.2 0 1 1 7.99 1.8ZM8 7V11.5M8 4.6V5',
  good: 'M2.5 8.5 6.5 12.5 13.5 4',
  unknown: 'M5.5 6A2.5 2.5 0 1 1 8.6 8.4C8 8.7 8 9.2 8 10M8 12.2V12.6',
  bar: 'M2.5 8H13.5',
  menu: 'M3 7.2A.8 .8 0 1 1 2.99 7.2ZM8 7.2A.8 .8 0 1 1 7.99 7.2ZM13 7.2A.8 .8 0 1 1 12.99 7.2Z',
  search: 'M7 2.5A4.5 4.5 0 1 1 6.99 2.5ZM10.3 10.3 14 14',
  user: 'M8 2.5A2.8 2.8 0 1 1 7.99 2.5ZM2.8 14C3.2 10.6 5.2 9.8 8 9.8S12.8 10.6 13.2 14',
  write: 'M3 13 3.6 10.2 10.8 3 13 5.2 5.8 12.4ZM9.4 4.4 11.6 6.6',
  trend: 'M2 11.5 6 7 9 9.5 14 4',
  edit: 'M2.5 5H6M10 5H13.5M8 3A2 2 0 1 1 7.99 3ZM2.5 11H4M8 11H13.5M6 9A2 2 0 1 1 5.99 9Z',
  pin: 'M8 2 9.8 6 14 6.4 10.8 9.2 11.8 13.5 8 11.2 4.2 13.5 5.2 9.2 2 6.4 6.2 6Z',
  decode: 'M6 3 3 8 6 13M10 3 13 8 10 13M8.8 4.5 7.2 11.5',
  list: 'M3 2.5H13V13.5H3ZM5.5 5.5H10.5M5.5 8H10.5M5.5 10.5H8.5',
  remove: 'M2.5 4.5H13.5M6 4.5V2.5H10V4.5M4.2 4.5 4.8 13.5H11.2L11.8 4.5',
  again: 'M13 8A5 5 0 1 1 11.2 4.2M11.6 1.6V4.6H8.6',
  back: 'M3 6.5H9.5A3.5 3.5 0 0 1 9.5 13.5H6M6 3.5 3 6.5 6 9.5',
  end: 'M8 2V7.5M4.6 4.4A5 5 0 1 0 11.4 4.4',
  up: 'M4 10 8 6 12 10',
  down: 'M4 6 8 10 12 6',
  right: 'M6 4 10 8 6 12',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof SHAPES;

/** Icon; always next to its name, so it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return <Drawing shape={SHAPES[name]} />;
}

/** Icon of 16 by 16, as SVG path data. */
export function Drawing({ shape }: { readonly shape: string }): JSX.Element {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={shape}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

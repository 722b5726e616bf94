import type { JSX } from 'preact';

import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

interface RowActionProps {
  readonly icon: IconName;
  readonly label: string;
  /** Link that it opens; absent: a button. */
  readonly href?: string;
  /** State of a switch; absent: none. */
  readonly isPressed?: boolean;
  /** True in a grid, whose keys reach it: it is out of the tab order. */
  readonly isInGrid?: boolean;
  readonly isBusy?: boolean;
  readonly onClick?: () => void;
}

/** Action of a row as an icon with a name. */
export function RowAction({
  icon,
  label,
  href,
  isPressed,
  isInGrid = false,
  isBusy = false,
  onClick,
}: RowActionProps): JSX.Element {
  const common = {
    class: 'row-action',
    title: label,
    'aria-label': label,
    ...(isInGrid ? { tabIndex: -1 } : {}),
  };
  if (href !== undefined) {
    return (
      <a {...common} href={href}>
        <Icon name={icon} />
      </a>
    );
  }
  return (
    <button {...common} type="button" aria-pressed={isPressed} disabled={isBusy} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

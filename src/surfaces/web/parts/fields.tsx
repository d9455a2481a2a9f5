/** Forms, and labelled inputs of forms and filters. */

import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { FormField } from './basic.tsx';
import { visibleText } from './texts.tsx';

interface PageFormProps {
  readonly class?: string;
  readonly onSend: () => void;
  readonly children: ComponentChildren;
}

/** Sent by its button or by Enter; the page stays where it is. */
export function PageForm({ class: look, onSend, children }: PageFormProps) {
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
    </form>
  );
}

interface SelectProps<V extends string> {
  readonly value: V;
  /** Values, with their texts where these differ. */
  readonly choices: readonly (V | readonly [value: V, text: string])[];
  /** The text of choosing nothing, which is the empty value; left out, something always is chosen. */
  readonly none?: string;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly onValue: (value: V) => void;
}

interface LabelledProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
}

export function SelectField<V extends string>({ label, hint, ...props }: SelectProps<V> & LabelledProps) {
  return (
    <FormField label={label} hint={hint}>
      <Select {...props} />
    </FormField>
  );
}

/** The same without a label that is seen: `label` is only read out. */
export function Select<V extends string>(props: SelectProps<V> & Partial<LabelledProps>) {
  const { label, value, choices, none, isDisabled = false, isRequired = false, onValue } = props;
  const rows = choices.map((choice) => (typeof choice === 'string' ? ([choice, choice] as const) : choice));
  // A value that is gone, or came by a link, stays visible.
  if (value !== '' && !rows.some(([one]) => one === value)) rows.push([value, value]);
  return (
    <select
      aria-label={label}
      value={value}
      disabled={isDisabled}
      required={isRequired}
      onChange={({ currentTarget }) => onValue(currentTarget.value as V)} // one of the choices
    >
      {none !== undefined && <option value="">{none}</option>}
      {rows.map(([one, text]) => (
        <option key={one} value={one}>
          {visibleText(text)}
        </option>
      ))}
    </select>
  );
}

interface TextFieldProps
  extends LabelledProps,
    Omit<InputHTMLAttributes, 'label' | 'list' | 'role' | 'type' | 'value'> {
  readonly type?: 'text' | 'search' | 'password';
  readonly value: string;
  readonly onValue: (value: string) => void;
}

// The cast: types of inputs differ in the roles that they may be given, and none is given.
export function TextField({ label, hint, type = 'text', onValue, ...input }: TextFieldProps) {
  return (
    <FormField label={label} hint={hint}>
      <input {...input} type={type as 'text'} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
    </FormField>
  );
}

interface CheckProps {
  readonly isOn: boolean;
  readonly onValue: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}

export function Check({ isOn, onValue, children }: CheckProps) {
  return (
    <label class="marked">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onValue(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

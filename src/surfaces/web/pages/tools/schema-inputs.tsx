/** Inputs for the fields of a schema: one component a kind, nested as the schema is. */

import { Button } from '../../parts/basic.tsx';
import { visibleText } from '../../parts/texts.tsx';
import type { Draft } from './form-draft.ts';
import { isGiven } from './form-draft.ts';
import type { MemberField, SchemaField } from './read-schema.ts';

interface InputProps<F = SchemaField> {
  readonly field: F;
  readonly draft: Draft;
  /** For readers of screens; also the path by which problems name it. */
  readonly path: string;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (draft: Draft) => void;
}

type Of<K extends SchemaField['kind']> = SchemaField & { readonly kind: K };

export function SchemaInput(props: InputProps) {
  const { field, draft, onChange, path } = props;
  if (draft === null)
    return (
      <span class="tools">
        <code>null</code>
        <Button label="Give a value" onClick={() => onChange(undefined)} />
      </span>
    );
  return (
    <>
      <OwnInput {...props} />
      {field.isNullable && (
        <button type="button" class="plain link" aria-label={`Set ${path} to null`} onClick={() => onChange(null)}>
          Set to null
        </button>
      )}
    </>
  );
}

function OwnInput({ field, ...props }: InputProps) {
  switch (field.kind) {
    case 'object':
      return <MemberInputs {...props} field={field} />;
    case 'list':
      return <ListInput {...props} field={field} />;
    case 'variants':
      return <VariantInput {...props} field={field} />;
    case 'choice':
      return <ChoiceInput {...props} field={field} />;
    case 'boolean':
      return <YesNoInput {...props} field={field} />;
    default:
      return <TypedInput {...props} field={field} />;
  }
}

export function MemberInputs({ field, draft, path, problems, onChange }: InputProps<Of<'object'>>) {
  const given = typeof draft === 'object' && draft !== null && 'members' in draft ? draft.members : {};
  const put = (name: string, own: Draft) => onChange({ members: { ...given, [name]: own } });
  return (
    <div class={path === '' ? '' : 'nested'}>
      {field.members.map((member) => (
        <MemberInput
          key={member.name}
          member={member}
          draft={Object.hasOwn(given, member.name) ? given[member.name] : undefined}
          path={path === '' ? member.name : `${path}.${member.name}`}
          problems={problems}
          onChange={(own) => put(member.name, own)}
        />
      ))}
    </div>
  );
}

interface MemberProps extends Omit<InputProps, 'field'> {
  readonly member: MemberField;
}

/** An optional object is closed until somebody wants it: it may hold itself. */
function MemberInput({ member, ...props }: MemberProps) {
  const { draft, path, problems, onChange } = props;
  const field = member.field();
  const isClosed = field.kind === 'object' && !member.isRequired && draft === undefined;
  const problem = problems.get(path);
  const isBig = field.kind === 'object' || field.kind === 'list' || field.kind === 'variants';
  const head = (
    <span class="member-name">
      <code>{visibleText(member.name)}</code>
      {member.isRequired && <abbr title="required">*</abbr>}
      {isBig && isGiven(draft) && !member.isRequired && (
        <button type="button" class="plain link" aria-label={`Leave ${path} out`} onClick={() => onChange(undefined)}>
          Leave out
        </button>
      )}
    </span>
  );
  const body = isClosed ? (
    <Button label={`Add ${visibleText(member.name)}`} onClick={() => onChange({ members: {} })} />
  ) : (
    <SchemaInput {...props} field={field} />
  );
  const foot = (
    <>
      {problem && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      {field.description !== '' && <small class="said">{visibleText(field.description)}</small>}
    </>
  );
  return (
    <div class="field">
      {head}
      {body}
      {foot}
    </div>
  );
}

function ListInput({ field, draft, path, problems, onChange }: InputProps<Of<'list'>>) {
  const items = typeof draft === 'object' && draft !== null && 'items' in draft ? draft.items : [];
  const put = (at: number, own: Draft) => onChange({ items: items.map((item, index) => (index === at ? own : item)) });
  return (
    <div class="nested">
      {items.map((item, at) => {
        const inside = `${path}[${at}]`;
        return (
          <div key={inside} class="list-item">
            <div>
              <SchemaInput
                field={field.item()}
                draft={item}
                path={inside}
                problems={problems}
                onChange={(own) => put(at, own)}
              />
              {problems.has(inside) && <span class="bad">{problems.get(inside)}</span>}
            </div>
            <button
              type="button"
              aria-label={`Remove ${inside}`}
              onClick={() => onChange({ items: items.filter((_, index) => index !== at) })}
            >
              ✕
            </button>
          </div>
        );
      })}
      <button type="button" aria-label={`Add to ${path}`} onClick={() => onChange({ items: [...items, undefined] })}>
        Add
      </button>
    </div>
  );
}

function VariantInput({ field, draft, path, problems, onChange }: InputProps<Of<'variants'>>) {
  const chosen = typeof draft === 'object' && draft !== null && 'variant' in draft ? draft : undefined;
  const variant = chosen && field.variants[chosen.variant];
  return (
    <div class="nested">
      <select
        aria-label={`Kind of ${path}`}
        value={chosen ? String(chosen.variant) : ''}
        onChange={({ currentTarget: { value } }) =>
          onChange(value === '' ? undefined : { variant: Number(value), inner: undefined })
        }
      >
        <option value="">Choose …</option>
        {field.variants.map(({ label }, at) => (
          <option key={label} value={String(at)}>
            {visibleText(label)}
          </option>
        ))}
      </select>
      {chosen && variant && (
        <SchemaInput
          field={variant.field()}
          draft={chosen.inner}
          path={path}
          problems={problems}
          onChange={(inner) => onChange({ variant: chosen.variant, inner })}
        />
      )}
    </div>
  );
}

function ChoiceInput({ field, ...props }: InputProps<Of<'choice'>>) {
  const nameOf = (option: unknown) => visibleText(typeof option === 'string' ? option : JSON.stringify(option));
  const choices = field.options.map((option, at) => [String(at), nameOf(option)] as const);
  return <SelectInput {...props} field={field} choices={choices} />;
}

const yesAndNo = [
  ['true', 'true'],
  ['false', 'false'],
] as const;

function YesNoInput(props: InputProps<Of<'boolean'>>) {
  return <SelectInput {...props} choices={yesAndNo} />;
}

/** `choices`: the draft of each, and how it reads. */
function SelectInput({
  field,
  draft,
  path,
  onChange,
  choices,
}: InputProps<Of<'choice' | 'boolean'>> & { readonly choices: readonly (readonly [string, string])[] }) {
  return (
    <select
      aria-label={path}
      value={typeof draft === 'string' ? draft : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{defaultIn(field) || '(not given)'}</option>
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

function TypedInput({ field, draft, path, problems, onChange }: InputProps) {
  const common = {
    'aria-label': path,
    'aria-invalid': problems.has(path),
    placeholder: defaultIn(field) || placeholders[field.kind === 'text' ? field.format : field.kind] || '',
    value: typeof draft === 'string' ? draft : '',
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange(currentTarget.value || undefined),
  };
  if (field.kind === 'json') return <textarea {...common} class="fixed" rows={3} spellcheck={false} />;
  if (field.kind === 'number') return <input {...common} inputMode={field.isInteger ? 'numeric' : 'decimal'} />;
  if (field.kind === 'text' && field.format === 'date') return <input {...common} type="date" />;
  return <textarea {...common} rows={1} class="grows" />;
}

const placeholders: Readonly<Record<string, string>> = {
  json: 'JSON',
  'date-time': '2026-03-12T15:20:00Z',
  time: '15:20:00Z',
  email: 'ann@example.com',
  uri: 'https://example.com/',
};

function defaultIn(field: SchemaField): string {
  return field.default === undefined ? '' : `default: ${visibleText(JSON.stringify(field.default))}`;
}

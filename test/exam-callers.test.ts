/** The quick examination, second part: who may come in, what they see, and what they must not get. */

import { testPart } from './kit/quick-exam.ts';

testPart('callers');

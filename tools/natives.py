"""Lists native functions that ext/ uses and no crate defines: `native("family").name`. Exits 1 if there are any."""
import re,glob,os
decl={}
for f in glob.glob('*/**/*.rs',recursive=True):
    s=open(f).read()
    for m in re.finditer(r'ops!\(pub fn family "(\w+)" \{([^}]*)\}',s):
        names=set()
        for n in m.group(2).split(','):
            n=n.strip().split('::')[-1].replace('r#','')
            if n:
                p=n.split('_'); names.add(p[0]+''.join(x.capitalize() for x in p[1:]))
        decl[m.group(1)]=names
decl.setdefault('loop',set()).update(['tickInfo','immediateInfo','timerInfo'])
use={}
for f in glob.glob('ext/**/*.ts',recursive=True):
    # Comments may name anything.
    s=re.sub(r'/\*.*?\*/|(?m://[^\n"\']*$)','',open(f).read(),flags=re.S)
    vars_={}
    for m in re.finditer(r'(?:const|let)\s+(\w+)(?::[^=]+)?\s*=\s*native\("(\w+)"\)\s*[;,]',s): vars_[m.group(1)]=m.group(2)
    for v,fam in vars_.items():
        for m in re.finditer(r'\b'+v+r'\.(\w+)\b',s): use.setdefault((fam,m.group(1)),set()).add(os.path.relpath(f,'ext'))
    for m in re.finditer(r'native\("(\w+)"\)[!]?\.(\w+)',s): use.setdefault((m.group(1),m.group(2)),set()).add(os.path.relpath(f,'ext'))
    for m in re.finditer(r'const\s*\{([^}]*)\}\s*=\s*native\("(\w+)"\)',s):
        for n in m.group(1).split(','):
            n=n.split(':')[0].strip()
            if n: use.setdefault((m.group(2),n),set()).add(os.path.relpath(f,'ext'))
missing=[(fam,n,sorted(fs)) for (fam,n),fs in sorted(use.items()) if n not in decl.get(fam,())]
for fam,n,fs in missing: print(f'native("{fam}").{n} is used in {fs[0]} and not defined')
raise SystemExit(1 if missing else 0)

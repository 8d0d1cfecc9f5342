// JSON.stringify of random records against a slow writer of the same format: shapes that repeat, names and texts with escapes.
function slow(v){ if(v===null) return "null"; switch(typeof v){case"number":return isFinite(v)?String(v):"null";case"boolean":return String(v);case"string":{let o='"';for(let i=0;i<v.length;i++){const c=v.charCodeAt(i);const m={8:"\\b",9:"\\t",10:"\\n",12:"\\f",13:"\\r",34:'\\"',92:"\\\\"}[c];if(m)o+=m;else if(c<32)o+="\\u"+c.toString(16).padStart(4,"0");else if(c>=0xd800&&c<=0xdbff&&v.charCodeAt(i+1)>=0xdc00&&v.charCodeAt(i+1)<=0xdfff){o+=v[i]+v[++i];}else if(c>=0xd800&&c<=0xdfff)o+="\\u"+c.toString(16);else o+=v[i];}return o+'"';}case"object":if(Array.isArray(v))return"["+v.map(x=>slow(x)??"null").join(",")+"]";return"{"+Object.keys(v).map(k=>{const x=slow(v[k]);return x===undefined?undefined:slow(k)+":"+x}).filter(x=>x!==undefined).join(",")+"}";}return undefined;}
let seed=1;const rnd=n=>(seed=(seed*1103515245+12345)&0x7fffffff)%n;
const chars=["a","b","\"","\\","\n","\u0001","é","ÿ","€","\ud800","\udc00","x","y","z","1"," ","\u007f","\u0080"];
function str(){let s="";const n=rnd(40);const k=rnd(4)?3:18;for(let i=0;i<n;i++)s+=chars[rnd(k)===2?rnd(18):rnd(2)+11];return s;}
const keys=["a","b","key with \"quotes\"","né","id","name","x\\y","long key of some length"];
function val(d){switch(rnd(d>4?5:8)){case 0:return rnd(1000);case 1:return str();case 2:return rnd(2)?null:undefined;case 3:return rnd(2)===0;case 4:return rnd(1000)/7;case 5:{const a=[];const n=rnd(6);const t=rnd(3);for(let i=0;i<n;i++)a.push(t?rec(d+1,t):val(d+1));return a;}default:return rec(d+1,rnd(5));}}
class User{constructor(a,b){this.id=a;this.name=b;}}
function rec(d,t){if(t===1)return new User(val(d),str());if(t===2){const o={a:val(d),[keys[2]]:val(d),né:str()};if(rnd(5)===0)o.extra=1;if(rnd(7)===0)delete o.a;return o;}const o={};const n=rnd(5);for(let i=0;i<n;i++)o[keys[rnd(keys.length)]]=val(d);return o;}
let bad=0;for(let i=0;i<4000;i++){const v=[rec(0,rnd(5)),rec(0,rnd(3)),rec(0,1),rec(0,1),rec(0,2),rec(0,2)];const a=JSON.stringify(v),b=slow(v);if(a!==b){bad++;if(bad<4)console.log(a,"\n",b);}}
console.log(bad === 0 ? "equal" : `${bad} differ`);

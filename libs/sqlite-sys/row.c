/*
** All columns of the row that a statement is at, by one call: the public
** interface takes three or four for each. build.rs puts this at the end of the
** amalgamation, because a row lies in the statement's own memory.
*/
struct bao_column {
  union {
    sqlite3_int64 integer;
    double real;
    const void *data;
  } value;
  int length; /* bytes of a text or of a blob */
  int type;   /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB, SQLITE_NULL */
};

/*
** Gives the number of columns, 0 if the statement is at no row, and writes the
** first `most` of them. Texts (in UTF-8) and blobs stay where they are until
** the next step; data is null for one of no bytes, and where memory is out.
*/
SQLITE_API int bao_row(sqlite3_stmt *statement, struct bao_column *columns, int most){
  Vdbe *vdbe = (Vdbe*)statement;
  int count, i;
  if( vdbe==0 || vdbe->pResultRow==0 ) return 0;
  count = vdbe->nResColumn;
  for(i=0; i<count && i<most; i++){
    sqlite3_value *value = &vdbe->pResultRow[i];
    struct bao_column *column = &columns[i];
    column->type = sqlite3_value_type(value);
    switch( column->type ){
      case SQLITE_INTEGER:
        column->value.integer = sqlite3_value_int64(value);
        break;
      case SQLITE_FLOAT:
        column->value.real = sqlite3_value_double(value);
        break;
      case SQLITE_TEXT:
        column->value.data = sqlite3_value_text(value);
        column->length = sqlite3_value_bytes(value);
        break;
      case SQLITE_BLOB:
        column->value.data = sqlite3_value_blob(value);
        column->length = sqlite3_value_bytes(value);
        break;
    }
  }
  return count;
}

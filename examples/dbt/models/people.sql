select * from read_csv('data.csv')
